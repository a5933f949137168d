import { z } from "zod";

export const email = z.email("must be an email address").max(254, "must have at most 254 characters").toLowerCase();

/** A password is long rather than full of signs (NIST SP 800-63B, 3.1.1.2). */
export const password = z
  .string("must be a string")
  .min(12, "must have at least 12 characters")
  .max(256, "must have at most 256 characters");

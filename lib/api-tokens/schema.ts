import { z } from "zod";

/** What a new API token takes. */
export const newApiToken = z.strictObject({
  environment: z.string(),
  name: z.string().trim().min(1, "must not be empty").max(255, "must have at most 255 characters"),
  access: z.enum(["read", "write"]),
  expiresAt: z.date().nullable(),
});
export type NewApiToken = z.infer<typeof newApiToken>;

import { z } from "zod";

/** The schema of a successful answer with these members. */
export const answered = <Shape extends z.ZodRawShape>(members: Shape) =>
  z.strictObject({ success: z.literal(1), ...members });

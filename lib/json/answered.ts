import { z } from "zod";

/** The cursor of another page in an answer; null where there is none. */
export const cursorOfPage = (description = "The cursor of the next page; null on the last one.") =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [null] });

/** The schema of a successful answer with these members. */
export const answered = <Shape extends z.ZodRawShape>(members: Shape) =>
  z.strictObject({ success: z.literal(1), ...members });

import { z } from "zod";

/** The cursor of another page in an answer; null where there is none. */
export const cursorOfPage = (description = "The cursor of the next page; null on the last one.") =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [null] });

// Fields of answers, with a description and an example.

/** A time; null by default in the example. */
export const nullableTime = (description: string, example: string | null = null) =>
  z.iso
    .datetime()
    .nullable()
    .meta({ description, examples: [example] });

/** A text. */
export const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });

export const nullableText = (description: string | undefined, example: string | null) =>
  z
    .string()
    .nullable()
    .meta({ ...(description && { description }), examples: [example] });

/** A count, or a number that the service assigns. */
export const count = (description: string | undefined, example: number, least = 0) =>
  z
    .int()
    .min(least)
    .meta({ ...(description && { description }), examples: [example] });

/** As {@link count}, or null. */
export const nullableCount = (description: string, example: number) =>
  z
    .int()
    .nullable()
    .meta({ description, examples: [example] });

/** The schema of a successful answer with these members. */
export const answered = <Shape extends z.ZodRawShape>(members: Shape) =>
  z.strictObject({ success: z.literal(1), ...members });

import { z } from "zod";
import { answered } from "@/lib/json/answered";

/** A group is idle after this many days without use. */
export const IDLE_DAYS = 30;

const count = (description: string, example = 0) => z.int().min(0).meta({ description, "x-example": example });

const states = z.strictObject({
  in_use: count(`Active groups used within the last ${IDLE_DAYS} days.`, 1),
  idle: count(`Active groups used, but not within the last ${IDLE_DAYS} days.`, 1),
  never_used: count("Active groups that were never used."),
  suspended: count("Suspended groups.", 1),
  ended: count("Groups with ended access that are not suspended."),
});

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]).meta({ "x-example": "pro" });

const property = z.strictObject({
  name: z.string().meta({ description: "A top-level property.", examples: ["plan"] }),
  groups: count("How many of the sampled groups have it.", 3),
  values: z
    .array(z.strictObject({ value, groups: count("How many of the sampled groups have this value.", 2) }))
    .describe("Its most frequent short values, at most 10; no objects, lists or long texts."),
});

/** An environment's groups by state, and their properties. */
export const summaryAnswer = answered({
  total: count("How many groups there are.", 3),
  states: states.describe("The same groups by state; each counts once."),
  counts_are_exact: z
    .boolean()
    .describe("False when `total` and `states` are estimates, as with more than 100,000 groups."),
  properties: z
    .array(property)
    .describe("The most frequent properties of the sampled groups, at most 50, the most frequent first."),
  sampled: count("How many groups were sampled for `properties`: all up to 1,000, of more about as many.", 3),
});
export type SummaryAnswer = z.infer<typeof summaryAnswer>;

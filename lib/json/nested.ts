import { z } from "zod";
import { RawJson } from "@/lib/json/raw-json";

/** A member that is an object or a list, parsed in full, when its exact text is irrelevant. */
export const nested = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value instanceof RawJson ? JSON.parse(value.text) : value), schema);

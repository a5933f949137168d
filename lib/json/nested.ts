import { z } from "zod";
import { RawJson } from "@/lib/json/raw-json";

/** A member that is itself an object or a list, read in full: the text it came as is of no interest. */
export const nested = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value instanceof RawJson ? JSON.parse(value.text) : value), schema);

import { z } from "zod";
import { RawJson } from "@/lib/json/raw-json";

/**
 * A member that is an object or a list, parsed in full, for when its exact text is irrelevant. With more than `most`
 * members or items, none is checked: each could be an issue, and a large body has room for millions.
 */
export const nested = <Schema extends z.ZodType>(schema: Schema, most?: { count: number; message: string }) =>
  z.preprocess((value, ctx) => {
    if (!(value instanceof RawJson)) return value;
    const parsed: unknown = JSON.parse(value.text);
    if (most && sizeOf(parsed) > most.count) {
      ctx.addIssue(most.message);
      return z.NEVER;
    }
    const path = protoPath(parsed);
    if (path) ctx.addIssue({ code: "custom", path, message: "must not have a member __proto__" });
    return parsed;
  }, schema);

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

/** The path of the first object with a member __proto__, which zod's records would drop silently. */
function protoPath(value: unknown): (string | number)[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, "__proto__")) return [];
  for (const [name, member] of Object.entries(value)) {
    const below = protoPath(member);
    if (below) return [Array.isArray(value) ? Number(name) : name, ...below];
  }
  return undefined;
}

import { invalidFields } from "@/lib/errors";
import { MAX_OBJECT_BYTES } from "@/lib/groups/schema";
import { mergePatch } from "@/lib/json/merge-patch";

/**
 * A field after a merge, within the limit of one that is sent.
 * @throws {AppError} `invalid_fields`
 */
export function mergedField(field: "mapping" | "properties", was: string, patch: string): string {
  const text = mergePatch(was, patch);
  if (Buffer.byteLength(text) <= MAX_OBJECT_BYTES) return text;
  throw invalidFields([{ path: [field], message: "would have more than 64 KiB after this merge" }]);
}

import { type KnownDefinitions, refusalsOf } from "@/lib/definitions/service";
import type { FieldIssue } from "@/lib/errors";
import type { ImportRowRecord } from "@/lib/imports/service";

/** Why the definitions refuse a row that creates or changes a group. */
export function refusalsOfRow(
  definitions: KnownDefinitions,
  { mapping, properties: given }: Pick<ImportRowRecord, "mapping" | "properties">,
  kind: "creation" | "change",
): FieldIssue[] {
  const properties = given === "null" ? null : (given ?? undefined);
  if (kind === "change") return refusalsOf(definitions, { mapping: mapping ?? undefined, properties }, kind);
  return refusalsOf(definitions, { mapping: mapping ?? "{}", properties: properties ?? null }, kind);
}

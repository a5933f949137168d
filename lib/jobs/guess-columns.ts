import type { Definitions } from "@/lib/definitions/schema";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";
import type { CellType } from "@/lib/jobs/cell-fault";
import {
  type ColumnTarget,
  cellIn,
  type ForeignColumn,
  type ForeignTable,
  literalOf,
  OWN_COLUMNS,
} from "@/lib/jobs/foreign-table";

/** Groups' known members: properties by name, with their type if known, and schemas' names by id. */
export interface KnownMembers {
  properties: ReadonlyMap<string, CellType | undefined>;
  schemas: ReadonlyMap<string, string>;
}

const WHO = "(?:user ?group|customer|client|account|company|tenant|organi[sz]ation|org|group)";
const ID = new RegExp(`^(?:(?:${WHO}|external|provided) ?)?(?:id|key|slug|no|number)$`);
const NAME = new RegExp(`^(?:(?:${WHO}|display|legal) ?)?name$|^${WHO}$`);

const plainName = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Guesses each column's target: from an earlier choice for its name, from its name, and from its values. */
export function guessTargets(
  table: ForeignTable,
  known: KnownMembers,
  chosen: Record<string, ColumnTarget>,
): ColumnTarget[] {
  const targets = table.columns.map(({ name }) => (Object.hasOwn(chosen, name) ? chosen[name] : undefined));
  const open = table.columns.filter((_, at) => !targets[at]);
  const first = (to: "id" | "name", isIt: (column: ForeignColumn) => boolean) =>
    targets.some((target) => target?.to === to) ? undefined : open.find(isIt);
  const id = first("id", ({ name }) => ID.test(plainName(name))) ?? first("id", (column) => isDistinct(table, column));
  const name = first("name", (column) => column !== id && NAME.test(plainName(column.name)));
  return table.columns.map((column, at) => {
    if (targets[at]) return targets[at];
    const type = typeOf(table, column);
    if (column === id) return { to: "id", key: column.name, type };
    if (column === name) return { to: "name", key: column.name, type };
    return memberTarget(column.name, known, type);
  });
}

function isDistinct({ rows }: ForeignTable, column: ForeignColumn): boolean {
  const values = new Set(rows.map((row) => cellIn(row, column)));
  return values.size === rows.length && !values.has("");
}

function memberTarget(name: string, { properties, schemas }: KnownMembers, type: CellType): ColumnTarget {
  const isNamed = (other: string) => plainName(other) === plainName(name);
  const property = [...properties.keys()].find(isNamed);
  if (property !== undefined) return { to: "property", key: property, type: properties.get(property) ?? type };
  const [schema] = [...schemas].find(([id, label]) => isNamed(id) || isNamed(label)) ?? [];
  if (schema !== undefined) return { to: "schema", key: schema, type: "string" };
  // If groups already have properties, a column that matches none of them may be just a note.
  const isProperty = properties.size === 0 && !OWN_COLUMNS.includes(name);
  return { to: isProperty ? "property" : "nothing", key: name, type };
}

/** The narrowest type of all values. */
function typeOf({ rows }: ForeignTable, column: ForeignColumn): CellType {
  const cells = rows.map((row) => cellIn(row, column)).filter((cell) => cell !== "");
  const isAll = (type: CellType) => cells.length > 0 && cells.every((cell) => literalOf(cell, type) !== undefined);
  return (["number", "boolean"] as const).find(isAll) ?? "string";
}

const TYPES: Record<string, CellType> = {
  string: "string",
  date: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  object: "json",
};

/** The members known from a sample of groups and from definitions, which are JSON text. */
export function knownMembers(summary: Pick<SummaryAnswer, "properties">, definitions: string): KnownMembers {
  const { properties = {}, schemas = {} }: Partial<Definitions> = JSON.parse(definitions);
  const sampled = summary.properties.map(({ name, values }) => [name, TYPES[typeof values[0]?.value]] as const);
  const defined = Object.entries(properties).map(
    ([name, { type }]) => [name, type.endsWith("[]") ? "json" : TYPES[type]] as const,
  );
  return {
    properties: new Map([...sampled, ...defined]),
    schemas: new Map(Object.entries(schemas).map(([id, { name }]) => [id, name ?? ""])),
  };
}

import { parseDefinitions } from "@/lib/definitions/queries";
import type { Definitions, PropertyDefinition } from "@/lib/definitions/schema";
import { itemTypeOf, type PropertyType } from "@/lib/definitions/value-types";
import { stringIn } from "@/lib/json/exact-value";
import { checkValue } from "@/lib/json/json";
import { RawJson, rawJson, writeJson } from "@/lib/json/raw-json";

// People type text. It is written as JSON if it is JSON of the type, else as a string, which the schema then refuses
// with a reason.

export interface PropertyDraft
  extends Pick<PropertyDefinition, "type" | "required" | "overridable" | "viewer_visible"> {
  /** stays with the row while its name is typed */
  key: number;
  name: string;
  /** empty for none */
  default: string;
  /** one per line; empty for any */
  enum: string;
  description: string;
  isOpen?: boolean | undefined;
}

export interface SchemaDraft {
  key: number;
  id: string;
  name: string;
  required: boolean;
  /** added or edited: never among the hidden rows */
  isKept?: boolean | undefined;
}

export interface SourceDraft {
  key: number;
  id: string;
  name: string;
  provided_id: string;
  /** ids with commas between them */
  schemas: string;
  isKept?: boolean | undefined;
}

/** Definitions being edited: rows in order, values as typed. */
export interface Draft extends Pick<Definitions, "unknown_properties" | "enforcement" | "creations"> {
  properties: PropertyDraft[];
  schemas: SchemaDraft[];
  data_sources: SourceDraft[];
}

/** Reads the service's definitions as rows, open and kept like those of `was`. */
export function readDraft(text: string, was?: Draft): Draft {
  const { properties, schemas, data_sources, ...settings } = parseDefinitions(text);
  return {
    ...settings,
    properties: Object.entries(properties).map(([name, one], key) => ({
      ...one,
      key,
      name,
      default: one.default === null ? "" : typedOf(one.type, one.default.text),
      enum: (one.enum ?? []).map((item) => typedOf(itemTypeOf(one.type), item.text)).join("\n"),
      description: one.description ?? "",
      isOpen: was?.properties.find((row) => row.name === name)?.isOpen,
    })),
    schemas: Object.entries(schemas).map(([id, one], key) => ({
      ...one,
      key,
      id,
      name: one.name ?? "",
      isKept: was?.schemas.find((row) => row.id === id)?.isKept,
    })),
    data_sources: Object.entries(data_sources).map(([id, one], key) => ({
      key,
      id,
      name: one.name ?? "",
      provided_id: one.provided_id ?? "",
      schemas: showIds(one.schemas),
      isKept: was?.data_sources.find((row) => row.id === id)?.isKept,
    })),
  };
}

/** Writes rows as definitions in JSON; a name used by two rows appears twice. */
export function writeDraft(draft: Draft): string {
  const { properties, unknown_properties, schemas, data_sources, enforcement, creations } = draft;
  const members = {
    properties: objectOf(properties, ({ name, ...one }) => [name, propertyOf(one)]),
    unknown_properties,
    schemas: objectOf(schemas, ({ id, name, required }) => [id, { name: name || null, required }]),
    data_sources: objectOf(data_sources, ({ id, name, provided_id, schemas }) => [
      id,
      { name: name || null, provided_id: provided_id || null, schemas: readIds(schemas) },
    ]),
    enforcement,
    creations,
  };
  return writeJson(members);
}

/** An unused key for a new row. */
export function nextKey(rows: readonly { key: number }[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1;
}

/** Typed text as a JSON value. */
export function literalOf(type: PropertyType, typed: string): string {
  const isText = type === "string" || type === "date";
  const { value, errors } = checkValue(typed);
  // For strings, only quoted text is JSON: a plan can be called 5.
  const isJson = value !== undefined && errors.length === 0 && (!isText || /^\s*"/.test(typed));
  if (!isJson) return JSON.stringify(typed);
  return value instanceof RawJson ? value.text : typed.trim();
}

/** The text to type for a JSON value. */
export function typedOf(type: PropertyType, literal: string): string {
  const content = stringIn(literal);
  // White space around it would be trimmed.
  return content && content === content.trim() && !/[\n\r]/.test(content) && literalOf(type, content) === literal
    ? content
    : literal;
}

function propertyOf({ type, enum: lines, ...one }: Omit<PropertyDraft, "key" | "name">) {
  const allowed = lines.split("\n").filter((line) => line.trim() !== "");
  return {
    type,
    required: one.required,
    default: one.default.trim() === "" ? null : rawJson(literalOf(type, one.default)),
    enum: allowed.length === 0 ? null : allowed.map((line) => rawJson(literalOf(itemTypeOf(type), line.trim()))),
    description: one.description || null,
    overridable: one.overridable,
    viewer_visible: one.viewer_visible,
  };
}

function showIds(ids: string[]): string {
  const typed = ids.join(", ");
  return JSON.stringify(readIds(typed)) === JSON.stringify(ids) ? typed : JSON.stringify(ids);
}

function readIds(typed: string): string[] {
  const ids = typed.startsWith("[") ? idsInJson(typed) : undefined;
  return ids ?? typed.split(/[,\s]+/).filter((id) => id !== "");
}

function idsInJson(typed: string): string[] | undefined {
  const { value, errors } = checkValue(typed);
  if (value === undefined || errors.length > 0) return undefined;
  const ids: unknown = JSON.parse(typed);
  return Array.isArray(ids) && ids.every((id) => typeof id === "string") ? ids : undefined;
}

function objectOf<Row>(rows: Row[], member: (row: Row) => [name: string, value: unknown]) {
  const members = rows.map(member).map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`);
  return rawJson(`{${members.join(",")}}`);
}

import type { Definitions, PropertyDefinition } from "@/lib/definitions/schema";
import { itemTypeOf, PROPERTY_TYPES, type PropertyType } from "@/lib/definitions/value-types";
import { elementTexts, memberTexts } from "@/lib/json/exact-json";
import { stringIn } from "@/lib/json/exact-value";
import { checkValue } from "@/lib/json/json";
import { RawJson, rawJson, writeJson } from "@/lib/json/raw-json";

// What people type is text: a value is written as JSON only where it is JSON of the type, else as a string, which the
// schema then refuses with a reason.

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
}

export interface SchemaDraft {
  key: number;
  id: string;
  name: string;
  required: boolean;
}

export interface SourceDraft {
  key: number;
  id: string;
  name: string;
  provided_id: string;
  /** ids with commas between them */
  schemas: string;
}

/** Definitions as they are edited: rows in order, their values as typed. */
export interface Draft extends Pick<Definitions, "unknown_properties" | "enforcement" | "creations"> {
  properties: PropertyDraft[];
  schemas: SchemaDraft[];
  data_sources: SourceDraft[];
}

/** Reads definitions as rows; undefined for a text of another shape. */
export function readDraft(text: string): Draft | undefined {
  if (checkValue(text).errors.length > 0) return undefined;
  try {
    const read = reader(text);
    const draft: Draft = {
      properties: rowsOf(read("properties", "{}"), readProperty),
      unknown_properties: oneOf(["allow", "refuse"], read("unknown_properties", '"allow"')),
      schemas: rowsOf(read("schemas", "{}"), (id, one) => ({
        id,
        name: label(one("name", "null")),
        required: flag(one("required", "false")),
      })),
      data_sources: rowsOf(read("data_sources", "{}"), (id, one) => ({
        id,
        name: label(one("name", "null")),
        provided_id: label(one("provided_id", "null")),
        schemas: showIds(list(one("schemas", "[]")).map(string)),
      })),
      enforcement: oneOf(["off", "report", "enforce"], read("enforcement", '"off"')),
      creations: oneOf(["report", "enforce"], read("creations", '"report"')),
    };
    read.end();
    return draft;
  } catch (error) {
    if (error instanceof OtherShape) return undefined;
    throw error;
  }
}

/** The definitions that rows are, as JSON; a name that two rows have is twice in it. */
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

/** A row that is added: its key is none of theirs. */
export function nextKey(rows: readonly { key: number }[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1;
}

/** A value as JSON, of what was typed. */
export function literalOf(type: PropertyType, typed: string): string {
  const isText = type === "string" || type === "date";
  const { value, errors } = checkValue(typed);
  // Of a string, only what is in quotes is JSON: a plan can be called 5.
  const isJson = value !== undefined && errors.length === 0 && (!isText || /^\s*"/.test(typed));
  if (!isJson) return JSON.stringify(typed);
  return value instanceof RawJson ? value.text : typed.trim();
}

/** What to type for a value. */
export function typedOf(type: PropertyType, literal: string): string {
  const content = stringIn(literal);
  return content && !/[\n\r]/.test(content) && literalOf(type, content) === literal ? content : literal;
}

function readProperty(name: string, one: Reader): Omit<PropertyDraft, "key"> {
  const type = oneOf(PROPERTY_TYPES, one("type", ""));
  const [value, allowed] = [one("default", "null"), one("enum", "null")];
  const items = allowed === "null" ? [] : list(allowed);
  if (allowed !== "null" && items.length === 0) throw new OtherShape();
  return {
    name,
    type,
    required: flag(one("required", "false")),
    default: value === "null" ? "" : typedOf(type, value),
    enum: items.map((item) => typedOf(itemTypeOf(type), item)).join("\n"),
    description: label(one("description", "null")),
    overridable: flag(one("overridable", "false")),
    viewer_visible: flag(one("viewer_visible", "false")),
  };
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

/** Not the shape that rows can show. */
class OtherShape extends Error {}

/** Reads an object's members by name, each once. */
interface Reader {
  (name: string, absent: string): string;
  /** nothing may be left */
  end(): void;
}

function reader(text: string): Reader {
  if (text.trimStart()[0] !== "{") throw new OtherShape();
  const members = new Map(memberTexts(text));
  const read = (name: string, absent: string) => {
    const found = members.get(name) ?? absent;
    members.delete(name);
    return found;
  };
  return Object.assign(read, {
    end: () => {
      if (members.size > 0) throw new OtherShape();
    },
  });
}

function rowsOf<Row>(text: string, read: (name: string, one: Reader) => Row): (Row & { key: number })[] {
  if (text[0] !== "{") throw new OtherShape();
  return memberTexts(text).map(([name, value], key) => {
    const one = reader(value);
    const row = { key, ...read(name, one) };
    one.end();
    return row;
  });
}

function objectOf<Row>(rows: Row[], member: (row: Row) => [name: string, value: unknown]) {
  const members = rows.map(member).map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`);
  return rawJson(`{${members.join(",")}}`);
}

function oneOf<Value extends string>(values: readonly Value[], text: string): Value {
  const found = values.find((value) => value === stringIn(text));
  if (found === undefined) throw new OtherShape();
  return found;
}

function flag(text: string): boolean {
  if (text !== "true" && text !== "false") throw new OtherShape();
  return text === "true";
}

function string(text: string): string {
  const found = stringIn(text);
  if (found === undefined) throw new OtherShape();
  return found;
}

function label(text: string): string {
  return text === "null" ? "" : string(text);
}

function list(text: string): string[] {
  if (text[0] !== "[") throw new OtherShape();
  return elementTexts(text);
}

import { sentence } from "@/components/form-issues";
import type { GuideProblem, RowGuide, SheetGuide } from "@/components/json-editor/guide";
import { compile } from "@/lib/definitions/check";
import { parseDefinitions, type StoredDefinitions } from "@/lib/definitions/queries";
import type { Definitions, PropertyDefinition, ValueFinding } from "@/lib/definitions/schema";
import { isListType } from "@/lib/definitions/value-types";
import { memberTexts } from "@/lib/json/exact-json";
import { stringIn } from "@/lib/json/exact-value";
import { compactObject } from "@/lib/json/json";

/** What definitions tell a group's form. */
export interface Guides {
  properties: SheetGuide;
  mapping: SheetGuide;
}

/** Guides for a group's form, with the same problems that the service finds. */
export function guidesOf(stored: StoredDefinitions): Guides {
  const document = parseDefinitions(stored.text);
  const { propertiesFindings, mappingFindings } = compile(document);
  const finder = (find: Find) => (text: string, saved: string | undefined) => found(document, { find, text, saved });
  return {
    properties: {
      rows: new Map(Object.entries(document.properties).map(([name, one]) => [name, propertyGuide(name, one)])),
      find: finder(propertiesFindings),
    },
    mapping: { rows: mappingRows(document), find: finder(mappingFindings) },
  };
}

const OF_KEYS = ["unknown_property", "unknown_schema"];

type Find = (compact: string, was?: string) => ValueFinding[];

/** The problems of a text. Problems that the saved text already has are not refused. */
function found(
  { enforcement, creations }: Definitions,
  { find, text, saved }: { find: Find; text: string; saved: string | undefined },
): GuideProblem[] {
  const compact = compactObject(text);
  // Invalid JSON has other problems.
  if (compact === undefined) return [];
  const isEnforced = enforcement === "enforce" && (saved !== undefined || creations === "enforce");
  const refused = isEnforced ? find(compact, saved && compactObject(saved)) : [];
  const values = new Map(memberTexts(compact));
  return find(compact).map(({ name, kind, message }) => ({
    key: name,
    part: OF_KEYS.includes(kind) ? ("key" as const) : ("value" as const),
    message: wordsOf(kind, name, values.get(name)) ?? sentence(message) ?? message,
    isRefused: refused.some((one) => one.name === name && one.kind === kind),
  }));
}

/** Shorter words than the API's, for a problem shown next to its row. */
function wordsOf(kind: ValueFinding["kind"], name: string, value = '""'): string | undefined {
  if (kind === "unknown_schema") return `Unknown schema ${name}`;
  if (kind === "unknown_data_source") return `Unknown data source ${stringIn(value) ?? value}`;
  return undefined;
}

function propertyGuide(name: string, { type, required, description, ...one }: PropertyDefinition): RowGuide {
  const isList = isListType(type);
  const value = one.default?.text;
  return {
    key: name,
    hint: description ?? undefined,
    type,
    isRequired: required && value === undefined,
    options: isList ? undefined : one.enum?.map(({ text }) => ({ literal: text, label: stringIn(text) || text })),
    defaultValue: value,
    blank: { key: name, literal: value ?? BLANKS[isList ? "list" : type] ?? '""' },
  };
}

const BLANKS: Record<string, string> = { integer: "0", number: "0", boolean: "false", object: "{}", list: "[]" };

function mappingRows({ schemas, data_sources }: Definitions): Map<string, RowGuide> {
  const sources = Object.entries(data_sources);
  return new Map(
    Object.entries(schemas).map(([id, { name, required }]) => {
      const fitting = sources.filter(([, source]) => source.schemas.length === 0 || source.schemas.includes(id));
      const options = fitting.map(([source, { name }]) => ({
        literal: JSON.stringify(source),
        label: name ? `${name} · ${source}` : source,
      }));
      const guide: RowGuide = {
        key: id,
        label: name ?? undefined,
        isRequired: required,
        options: sources.length > 0 ? options : undefined,
        blank: { key: id, literal: '""' },
      };
      return [id, guide];
    }),
  );
}

import type { Definitions, PropertyDefinition } from "@/lib/definitions/schema";
import { type PropertyType, typeTest } from "@/lib/definitions/value-types";
import { memberTexts } from "@/lib/json/exact-json";
import { stringIn } from "@/lib/json/exact-value";
import { rawJson } from "@/lib/json/raw-json";
import { isSafe } from "@/lib/json/visible-text";

/** A group's members, as they are stored. */
export interface Sample {
  mapping: string;
  properties: string | null;
}

/** Texts are a list to choose from when there are so few, and so many groups for each. */
const MOST_CHOICES = 8;
const LEAST_PER_CHOICE = 5;
const LONGEST_CHOICE = 100;
/** The most of each kind to suggest: definitions have room for a few more. */
const MOST_PROPERTIES = 300;
const MOST_SCHEMAS = 300;
const MOST_DATA_SOURCES = 1_000;

interface Seen {
  count: number;
  /** those that fit every value */
  types: PropertyType[];
  /** whether all values are empty lists, which fit every list */
  isEmpty: boolean;
  /** the texts; undefined once they are no list to choose from */
  choices: Set<string> | undefined;
}

/** The narrower first: a date is a string too, and a whole number a number. */
const TYPES: PropertyType[] = [
  ...(["date", "string", "integer", "number", "boolean"] as const),
  ...(["date[]", "string[]", "integer[]", "number[]", "boolean[]", "object"] as const),
];
const TESTS = new Map(TYPES.map((type) => [type, typeTest(type)]));

/**
 * Definitions that some groups fulfil, read off them: what all have is required. What is defined already stays as it is, and
 * so does enforcement.
 */
export function suggestDefinitions(samples: readonly Sample[], current: Definitions): Definitions {
  const properties = new Map<string, Seen>();
  const schemas = new Map<string, number>();
  const sources = new Map<string, Set<string>>();
  for (const { mapping, properties: own } of samples) {
    for (const [name, value] of own === null ? [] : memberTexts(own))
      if (value !== "null") see(properties, name, value);
    for (const [schema, value] of memberTexts(mapping)) {
      const source = stringIn(value) ?? value;
      // Ids are texts or numbers.
      if (value === "null" || /^[{[]/.test(value)) continue;
      schemas.set(schema, (schemas.get(schema) ?? 0) + 1);
      sources.set(source, (sources.get(source) ?? new Set()).add(schema));
    }
  }
  const all = samples.length;
  const defined = {
    ...suggested(schemas, MOST_SCHEMAS, (count) => ({ name: null, required: count === all })),
    ...current.schemas,
  };
  return {
    ...current,
    properties: { ...suggested(properties, MOST_PROPERTIES, (seen) => propertyOf(seen, all)), ...current.properties },
    schemas: defined,
    data_sources: {
      ...suggested(sources, MOST_DATA_SOURCES, (used) => ({
        ...{ name: null, provided_id: null },
        schemas: [...used].filter((schema) => Object.hasOwn(defined, schema)).sort(),
      })),
      ...current.data_sources,
    },
  };
}

function see(properties: Map<string, Seen>, name: string, value: string) {
  const seen = properties.get(name) ?? { count: 0, types: TYPES, isEmpty: true, choices: new Set() };
  seen.count++;
  seen.types = seen.types.filter((type) => TESTS.get(type)?.(value));
  seen.isEmpty &&= value === "[]";
  const isChoice = value[0] === '"' && value.length <= LONGEST_CHOICE;
  if (isChoice) seen.choices?.add(value);
  if (!isChoice || (seen.choices?.size ?? 0) > MOST_CHOICES) seen.choices = undefined;
  properties.set(name, seen);
}

function propertyOf({ count, types, isEmpty, choices }: Seen, groups: number): PropertyDefinition {
  const type = (isEmpty ? types.find((one) => one === "string[]") : types[0]) ?? "any";
  const isChoice = type === "string" && choices && count >= choices.size * LEAST_PER_CHOICE;
  return {
    ...{ type, required: count === groups, default: null, description: null },
    enum: isChoice ? [...choices].sort().map(rawJson) : null,
    ...{ overridable: false, viewer_visible: false },
  };
}

/** What was seen first, by the names that definitions can have, in alphabetical order. */
function suggested<Of, Definition>(seen: Map<string, Of>, most: number, definitionOf: (of: Of) => Definition) {
  const names = [...seen.keys()].filter(
    (name) => name !== "" && name !== "__proto__" && name.length <= 255 && isSafe(name),
  );
  const entries = names
    .slice(0, most)
    .sort()
    .map((name) => [name, definitionOf(seen.get(name) as Of)] as const);
  return Object.fromEntries(entries);
}

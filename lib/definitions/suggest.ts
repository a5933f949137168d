import { sharing } from "@/lib/config/per-process";
import { turns } from "@/lib/db/turns";
import { meantNames } from "@/lib/definitions/meant-name";
import { type Definitions, type PropertyDefinition, sourcesByName } from "@/lib/definitions/schema";
import { readDefinitions } from "@/lib/definitions/service";
import { listTypes, type PropertyType, typeTest } from "@/lib/definitions/value-types";
import { memberTexts } from "@/lib/json/exact-json";
import { stringIn } from "@/lib/json/exact-value";
import { rawJson, writeJson } from "@/lib/json/raw-json";
import { isSafe } from "@/lib/json/visible-text";
import { readMembers } from "@/lib/store/group-set";

/** A group's members, as they are stored. */
export interface Sample {
  mapping: string;
  properties: string | null;
}

/** Texts become an enum if there are few different ones, each in several groups. */
const MAX_CHOICES = 8;
const LEAST_PER_CHOICE = 5;
const LONGEST_CHOICE = 100;
/** The most members that suggested definitions have: fewer than allowed, to leave room. */
const MAX_PROPERTIES = 300;
const MAX_SCHEMAS = 300;
const MAX_DATA_SOURCES = 1_000;
/** The most names of each kind to count: groups can have any number. */
const MAX_COUNTED = 2_000;

interface Seen {
  /** number of groups, or of mappings to a data source */
  count: number;
}

interface SeenProperty extends Seen {
  /** the types that fit every value */
  types: PropertyType[];
  /** whether all values are empty lists, which fit every list */
  isEmpty: boolean;
  /** the texts for an enum; undefined once they cannot be one */
  choices: Set<string> | undefined;
}

/** The names that some groups use, with the observations of each. */
interface Survey {
  groups: number;
  properties: Map<string, SeenProperty>;
  schemas: Map<string, Seen>;
  sources: Map<string, Seen & { schemas: Set<string> }>;
}

/** The narrower types first: a date is also a string, and a whole number also a number. */
const ITEMS = ["date" as const, "string" as const, "integer" as const, "number" as const, "boolean" as const];
const TYPES: PropertyType[] = [...ITEMS, ...listTypes(ITEMS), "object"];
const TESTS = new Map(TYPES.map((type) => [type, typeTest(type)]));

/**
 * Extends definitions so that the observed groups fulfil them; members that all groups have become required. Existing
 * definitions and enforcement stay. Names that look misspelled are left out: defining them would hide the mistake.
 */
export function suggestDefinitions(seen: Survey, current: Definitions): Definitions {
  const counts = new Map([...seen.properties].map(([name, { count }]) => [name, count]));
  const defined = Object.keys(current.properties);
  const likeOf = meantNames(defined, counts);
  const spelled = new Map([...seen.properties].filter(([name]) => likeOf(name) === undefined));
  const properties = newIn(current.properties, spelled, (one) => propertyOf(one, seen.groups));
  // Once any schema is defined, those of the data sources must be too.
  const ofSources = Object.values(current.data_sources).flatMap((source) => source.schemas);
  const named = new Map([...ofSources.map((id) => [id, { count: 0 }] as const), ...seen.schemas]);
  const newSchemas = newIn(current.schemas, named, ({ count }) => ({ name: null, required: count === seen.groups }));
  const schemas = withAll(current.schemas, newSchemas, MAX_SCHEMAS);
  const sources = newIn(Object.fromEntries(sourcesByName(current.data_sources)), seen.sources, (source) => ({
    name: null,
    provided_id: null,
    schemas: [...source.schemas].filter((schema) => Object.hasOwn(schemas, schema)).sort(),
  }));
  return {
    ...current,
    properties: {
      ...inOrder(properties.slice(0, Math.max(0, MAX_PROPERTIES - defined.length))),
      ...current.properties,
    },
    schemas,
    data_sources: withAll(current.data_sources, sources, MAX_DATA_SOURCES),
  };
}

/** Collects the names and values of groups, yielding to other requests. */
export async function survey(samples: readonly Sample[]): Promise<Survey> {
  const seen: Survey = { groups: samples.length, properties: new Map(), schemas: new Map(), sources: new Map() };
  const yieldTurn = turns();
  for (const { mapping, properties } of samples) {
    for (const [name, value] of properties === null ? [] : memberTexts(properties)) seeProperty(seen, name, value);
    for (const [schema, value] of memberTexts(mapping)) seeSource(seen, schema, value);
    await yieldTurn();
  }
  return seen;
}

function seeProperty({ properties }: Survey, name: string, value: string) {
  if (value === "null") return;
  const seen = entryOf(properties, name, () => ({ count: 0, types: TYPES, isEmpty: true, choices: new Set<string>() }));
  if (!seen) return;
  seen.count++;
  seen.types = seen.types.filter((type) => TESTS.get(type)?.(value));
  seen.isEmpty &&= value === "[]";
  const isChoice = value[0] === '"' && value.length <= LONGEST_CHOICE;
  if (isChoice) seen.choices?.add(value);
  if (!isChoice || (seen.choices?.size ?? 0) > MAX_CHOICES) seen.choices = undefined;
}

function seeSource({ schemas, sources }: Survey, schema: string, value: string) {
  // Ids are texts or numbers.
  if (value === "null" || /^[{[]/.test(value)) return;
  const used = entryOf(schemas, schema, () => ({ count: 0 }));
  if (used) used.count++;
  const source = entryOf(sources, stringIn(value) ?? value, () => ({ count: 0, schemas: new Set<string>() }));
  if (!source) return;
  source.count++;
  source.schemas.add(schema);
}

/** The entry of a valid name, created if missing; undefined once there are too many. */
function entryOf<Entry>(entries: Map<string, Entry>, name: string, create: () => Entry): Entry | undefined {
  const found = entries.get(name);
  if (found) return found;
  const isName = name !== "" && name !== "__proto__" && name.length <= 255 && isSafe(name);
  if (!isName || entries.size > MAX_COUNTED) return undefined;
  const created = create();
  entries.set(name, created);
  return created;
}

function propertyOf({ count, types, isEmpty, choices }: SeenProperty, groups: number): PropertyDefinition {
  const type = (isEmpty ? types.find((one) => one === "string[]") : types[0]) ?? "any";
  const isChoice = type === "string" && choices && count >= choices.size * LEAST_PER_CHOICE;
  return {
    type,
    required: count === groups,
    default: null,
    description: null,
    enum: isChoice ? [...choices].sort().map(rawJson) : null,
    overridable: false,
    viewer_visible: false,
  };
}

/** Definitions for undefined names, the most frequent first. */
function newIn<Of extends Seen, Definition>(
  own: object,
  seen: Map<string, Of>,
  definitionOf: (of: Of) => Definition,
): [string, Definition][] {
  return [...seen]
    .filter(([name]) => !Object.hasOwn(own, name))
    .sort(([, one], [, other]) => other.count - one.count)
    .map(([name, of]) => [name, definitionOf(of)]);
}

/** Adds all of these, or none: with only some defined, groups that use the others would have findings. */
function withAll<Definition>(
  own: Record<string, Definition>,
  added: [string, Definition][],
  most: number,
): Record<string, Definition> {
  return added.length > most - Object.keys(own).length ? own : { ...inOrder(added), ...own };
}

function inOrder<Definition>(members: [string, Definition][]): Record<string, Definition> {
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The most groups, and their characters, to base a suggestion on: it must not hold up other requests. */
const SAMPLE = { groups: 5_000, characters: 8_388_608 };
/** Shared, because each survey takes memory and most of a second. */
const surveyNewest = sharing("surveys of groups", async (environmentId) =>
  survey(await readMembers(environmentId, SAMPLE)),
);

/** The definitions, extended by what the newest groups suggest, as JSON text; and the number of those groups. */
export async function suggestionFor(environmentId: number): Promise<{ text: string; groups: number }> {
  const [found, { document }] = [await surveyNewest(environmentId), await readDefinitions(environmentId)];
  return { text: writeJson(suggestDefinitions(found, document)), groups: found.groups };
}

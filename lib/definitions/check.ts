import {
  type DataSource,
  type Definitions,
  type PropertyDefinition,
  sourcesByName,
  type ValueFinding,
  type ValueFindingKind,
} from "@/lib/definitions/schema";
import { enumTest, MAX_SHOWN, notInEnum, typeTest, wrongType } from "@/lib/definitions/value-types";
import { sayMore } from "@/lib/errors";
import { closestName } from "@/lib/json/closest-name";
import { isSameValue, memberTexts } from "@/lib/json/exact-json";
import { stringIn } from "@/lib/json/exact-value";
import { beginning, excerpt } from "@/lib/json/excerpt";
import { RawJson } from "@/lib/json/raw-json";
import { RecentMap } from "@/lib/limits/recent-map";

type Member = [name: string, value: string];

/**
 * Checks a group's mapping and properties, as stored (valid JSON), against definitions. With `was`, the text before a
 * change, it checks only the members that the change removes or gives another value.
 */
export interface Checker {
  propertiesFindings: (text: string | null, was?: string | null) => ValueFinding[];
  /** The same for a caller that has already parsed the members. */
  memberFindings: (members: readonly Member[], was?: Before) => ValueFinding[];
  mappingFindings: (text: string, was?: string) => ValueFinding[];
  /**
   * The group's own members in their order, with defaults for nulls, then the defaults of the members it lacks.
   */
  variables: (text: string | null) => RawJson;
}

/**
 * Prepares a check, which takes a few microseconds. Definitions that are off find nothing and have no defaults. With
 * `isWhole`, the check reports every undefined name, in full and without a message, for counting.
 */
export function compile(definitions: Definitions, { isWhole = false } = {}): Checker {
  const isOff = definitions.enforcement === "off";
  const report = isWhole ? everyName : firstNames;
  const memberFindings = isOff ? () => [] : propertiesCheck(definitions, report);
  return {
    propertiesFindings: (text, was) => memberFindings(text === null ? [] : memberTexts(text), membersBefore(was)),
    memberFindings,
    mappingFindings: isOff ? () => [] : mappingCheck(definitions, report),
    variables: variablesIn(isOff ? {} : definitions.properties),
  };
}

/** The members before a change; undefined to judge all. */
type Before = ReadonlyMap<string, string> | undefined;

function membersBefore(text: string | null | undefined): Before {
  return text === undefined ? undefined : new Map(text === null ? [] : memberTexts(text));
}

/** Whether a member has another value than before, however it is spelt. */
function isChanged(was: Before, name: string, value: string): boolean {
  const before = was?.get(name);
  return before === undefined || !isSameValue(before, value);
}

/** Whether there was a value to remove. */
function wasThere(was: Before, name: string): boolean {
  return !was || (was.get(name) ?? "null") !== "null";
}

/** The most undefined names to report per kind: a group has room for thousands, and for long ones. */
const MAX_REPORTED = 10;
/** Characters of a reported name. */
const LONGEST_REPORTED = 100;
/** The most misspelled names to cache: looking for a similar name costs more than the rest of a check. */
const MAX_REMEMBERED = 1_000;

interface CompiledProperty {
  /** among the defined ones */
  place: number;
  isRequired: boolean;
  problem: (text: string) => { kind: ValueFindingKind; message: string } | undefined;
}

function propertiesCheck(
  { properties, unknown_properties }: Definitions,
  report: ReportNames,
): Checker["memberFindings"] {
  const compiled = new Map(Object.entries(properties).map(([name, one], place) => [name, compileProperty(one, place)]));
  const required = [...compiled].filter(([, { isRequired }]) => isRequired);
  const refusesUnknown = unknown_properties === "refuse";
  const unknownMessage = rememberingMessage([...compiled.keys()]);
  return (members, was) => {
    const found: { place: number; finding: ValueFinding }[] = [];
    const unknown: string[] = [];
    const present = new Set<string>();
    for (const [name, value] of members) {
      if (value === "null") continue;
      const property = compiled.get(name);
      if (property?.isRequired) present.add(name);
      if (!isChanged(was, name, value)) continue;
      if (!property) {
        if (refusesUnknown) unknown.push(name);
        continue;
      }
      const problem = property.problem(value);
      if (problem) found.push({ place: property.place, finding: { member: "properties", name, ...problem } });
    }
    if (present.size < required.length) {
      for (const [name, { place }] of required) {
        if (present.has(name) || !wasThere(was, name)) continue;
        found.push({ place, finding: { member: "properties", name, kind: "missing", message: "is required" } });
      }
    }
    // In the order of the definitions, not of the group.
    found.sort((a, b) => a.place - b.place);
    return [
      ...found.map(({ finding }) => finding),
      ...report(unknown, { member: "properties", kind: "unknown_property", message: unknownMessage, more: norAre }),
    ];
  };
}

function compileProperty(property: PropertyDefinition, place: number): CompiledProperty {
  const { type, required, default: ownDefault } = property;
  const [hasType, isInEnum, enumMessage] = [typeTest(type), enumTest(property), notInEnum(property)];
  return {
    place,
    isRequired: required && ownDefault === null,
    problem: (text) => {
      if (!hasType(text)) return { kind: "wrong_type", message: wrongType(type, text) };
      return isInEnum(text) ? undefined : { kind: "not_in_enum", message: enumMessage };
    },
  };
}

/** The message for a property that is not defined. */
function rememberingMessage(known: string[]): (name: string) => string {
  const remembered = new RecentMap<string, string>(MAX_REMEMBERED);
  return (name) => {
    const earlier = remembered.get(name);
    if (earlier !== undefined) return earlier;
    const guess = closestName(name, known);
    const message = `is not a defined property${guess === undefined ? "" : ` (did you mean ${guess}?)`}`;
    remembered.set(name, message);
    return message;
  };
}

interface Report extends Pick<ValueFinding, "member" | "kind"> {
  message: (name: string) => string;
  more: (count: number) => string;
}

/** Findings of undefined names. */
type ReportNames = (names: string[], report: Report) => ValueFinding[];

const everyName: ReportNames = (names, { member, kind }) => names.map((name) => ({ member, name, kind, message: "" }));

/** The first in alphabetical order. */
function firstNames(names: string[], { member, kind, message, more }: Report): ValueFinding[] {
  if (names.length === 0) return [];
  const findings = names
    .sort()
    .slice(0, MAX_REPORTED)
    .map((name) => ({ member, name: beginning(name, LONGEST_REPORTED), kind, message: message(name) }));
  return sayMore(findings, names.length - MAX_REPORTED, more);
}

const norAre = (count: number) => `nor are ${count} more`;

function mappingCheck({ schemas, data_sources }: Definitions, report: ReportNames): Checker["mappingFindings"] {
  const known = new Map(Object.entries(schemas));
  const required = [...known].filter(([, schema]) => schema.required).map(([id]) => id);
  const sources = sourcesByName(data_sources);
  const schemasOf = new Map([...sources].map(([id, { schemas }]) => [id, new Set(schemas)]));
  return (text, wasText) => {
    const was = membersBefore(wasText);
    /** data sources by schema */
    const ofOther = new Map<string, string>();
    const unknownSchemas: string[] = [];
    const unknownSources: string[] = [];
    const present = new Set<string>();
    for (const [name, value] of memberTexts(text)) {
      if (value === "null") continue;
      present.add(name);
      if (!isChanged(was, name, value)) continue;
      if (known.size > 0 && !known.has(name)) unknownSchemas.push(name);
      else if (schemasOf.size > 0) {
        const id = stringIn(value) ?? value;
        const allowed = schemasOf.get(id);
        if (!allowed) unknownSources.push(name);
        else if (allowed.size > 0 && !allowed.has(name)) ofOther.set(name, id);
      }
    }
    return [
      ...required
        .filter((id) => !present.has(id) && wasThere(was, id))
        .map((name): ValueFinding => ({ member: "mapping", name, kind: "missing_schema", message: "is required" })),
      ...report(unknownSchemas, UNKNOWN_SCHEMAS),
      ...report(unknownSources, UNKNOWN_SOURCES),
      ...report([...ofOther.keys()], {
        member: "mapping",
        kind: "data_source_of_other_schema",
        more: (count) => `likewise ${count} more`,
        message: (name) => ofOtherSchema(ofOther.get(name) ?? "", sources),
      }),
    ];
  };
}

const UNKNOWN_SCHEMAS: Report = {
  member: "mapping",
  kind: "unknown_schema",
  message: () => "is not a defined schema",
  more: norAre,
};
const UNKNOWN_SOURCES: Report = {
  member: "mapping",
  kind: "unknown_data_source",
  message: () => "is not mapped to a defined data source",
  more: norAre,
};

function ofOtherSchema(id: string, sources: ReadonlyMap<string, DataSource>): string {
  const allowed = sources.get(id)?.schemas ?? [];
  const listed = allowed.slice(0, MAX_REPORTED).map((schema) => excerpt(schema, MAX_SHOWN));
  const more = allowed.length > listed.length ? ` and ${allowed.length - listed.length} more` : "";
  return `must not be data source ${excerpt(id, MAX_SHOWN)}, which is for schema ${listed.join(", ")}${more}`;
}

/** The names of the properties that viewer tokens contain by their definitions. */
export function visibleByDefinition({ properties, enforcement }: Pick<Definitions, "properties" | "enforcement">) {
  if (enforcement === "off") return [];
  return Object.keys(properties).filter((name) => properties[name]?.viewer_visible);
}

function variablesIn(properties: Definitions["properties"]): Checker["variables"] {
  const defaults = new Map(
    Object.entries(properties).flatMap(([name, { default: value }]): Member[] => (value ? [[name, value.text]] : [])),
  );
  return (text) => {
    const own = text === null ? [] : memberTexts(text);
    const filled = own.map(([name, value]): Member => [name, (value === "null" && defaults.get(name)) || value]);
    const present = new Set(own.map(([name]) => name));
    const added = [...defaults].filter(([name]) => !present.has(name));
    const isSame = added.length === 0 && filled.every(([, value], index) => value === own[index]?.[1]);
    if (text !== null && isSame) return new RawJson(text, "object");
    const members = [...filled, ...added].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    return new RawJson(`{${members.join(",")}}`, "object");
  };
}

import { invalidFields } from "@/lib/errors";
import { readStoredMembers } from "@/lib/json/json";
import { isObject, type RawJson, type ShallowJson, writeJson } from "@/lib/json/raw-json";
import { CLAIM_PLACEHOLDER, type ClaimTemplate, type ViewerSettings } from "@/lib/viewer-tokens/settings-schema";

/** Members of a JSON object in their own form, by name. */
export type ExactMembers = Record<string, ShallowJson>;

/** The members of a stored object that an environment lists, and no others. */
export function visibleMembers(text: string | null, listed: readonly string[]): ExactMembers {
  if (text === null || listed.length === 0) return {};
  const names = new Set(listed);
  return Object.fromEntries(Object.entries(membersOf(text)).filter(([name]) => names.has(name)));
}

interface Properties {
  /** a group's, as JSON text */
  own: string | null;
  /** the names that the environment defines, and the ones that a caller may replace */
  defined: ReadonlySet<string>;
  overridable: ReadonlySet<string>;
}

/**
 * Adds the caller's variables to the visible ones. Null is no value: it replaces none.
 * @throws {AppError} `invalid_fields` for the name of a property that is not overridable: a caller must not change it
 */
export function addVariables(visible: ExactMembers, given: RawJson | undefined, properties: Properties) {
  if (!given) return visible;
  const { own, defined, overridable } = properties;
  const ofGroup = own === null ? {} : membersOf(own);
  const isProperty = (name: string) => Object.hasOwn(ofGroup, name) || defined.has(name);
  const members = Object.entries(membersOf(given.text));
  const issues = members
    .filter(([name]) => isProperty(name) && !overridable.has(name))
    .map(([name]) => ({
      path: ["variables", name],
      message: "is a property of the user group: a caller cannot change it",
    }));
  if (issues.length > 0) throw invalidFields(issues);
  return { ...visible, ...Object.fromEntries(members.filter(([name, value]) => value !== null || !isProperty(name))) };
}

function membersOf(text: string): ExactMembers {
  const members = readStoredMembers(text);
  return isObject(members) ? members : {};
}

/** @throws {AppError} `invalid_fields` when the environment has no such template */
export function templateIn({ templates }: Pick<ViewerSettings, "templates">, name: string): ClaimTemplate {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (template) return template;
  throw invalidFields([{ path: ["template"], message: "is not a claim template of this environment" }]);
}

/** What a template can insert. */
export interface ClaimValues {
  team_id: number;
  user_group_id: string;
  viewer: string | undefined;
  environment: string;
  variables: ExactMembers;
}

/**
 * A template's claims with its placeholders filled. A missing value is refused: a claim without it could show more than
 * it should.
 * @throws {AppError} `invalid_fields`
 */
export function fillClaims({ claims }: ClaimTemplate, values: ClaimValues): object {
  return fill(claims, values) as object;
}

function fill(part: unknown, values: ClaimValues): unknown {
  if (typeof part === "string") return fillText(part, values);
  if (Array.isArray(part)) return part.map((one) => fill(one, values));
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, fill(one, values)]));
}

function fillText(text: string, values: ClaimValues): unknown {
  const placeholders = [...text.matchAll(CLAIM_PLACEHOLDER)];
  const [only] = placeholders;
  if (only?.[0] === text) return insertedValue(only[1] ?? "", values);
  return text.replace(CLAIM_PLACEHOLDER, (_, name: string) => {
    const value = insertedValue(name, values);
    return typeof value === "string" ? value : writeJson(value);
  });
}

function insertedValue(name: string, values: ClaimValues): unknown {
  const [, variable] = /^variables\.(.+)$/s.exec(name) ?? [];
  const value = variable === undefined ? values[name as keyof ClaimValues] : own(values.variables, variable);
  if (value !== undefined) return value;
  const path = variable === undefined ? [name] : ["variables", variable];
  const fix = variable === undefined ? "send it" : "send it, or list it as a visible property that this group has";
  throw invalidFields([{ path, message: `is missing, and the claim template needs it: ${fix}` }]);
}

function own(members: ExactMembers, name: string): ShallowJson | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The most bytes of a viewer token: proxies refuse larger headers and cookies. */
const MAX_TOKEN_BYTES = 6_144;
const MAX_NAMED = 3;

interface Parts {
  variables: ExactMembers;
  mapping: ExactMembers;
}

/** Refuses parts that are too large by themselves, before a template inserts them many times. */
export function requirePartsToFit(parts: Parts) {
  requireSize(Math.ceil((Buffer.byteLength(writeJson(parts)) * 4) / 3), parts);
}

/**
 * @throws {AppError} `invalid_fields` that names the largest variables when a token of so many bytes, at least, is too
 * large
 */
export function requireSize(tokenBytes: number, parts: Parts) {
  if (tokenBytes <= MAX_TOKEN_BYTES) return;
  const sizes = Object.entries(parts).flatMap(([part, members]: [string, ExactMembers]) =>
    Object.entries(members).map(([name, value]) => ({
      path: [part, name],
      bytes: Buffer.byteLength(writeJson(value)),
    })),
  );
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, MAX_NAMED);
  const why = `the viewer token would have at least ${tokenBytes} bytes, and at most ${MAX_TOKEN_BYTES} are allowed`;
  throw invalidFields(
    largest.length > 0
      ? largest.map(({ path, bytes }) => ({ path, message: `takes ${bytes} bytes: ${why}` }))
      : [{ path: [], message: why }],
  );
}

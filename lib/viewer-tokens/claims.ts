import { invalidFields } from "@/lib/errors";
import { readStoredMembers } from "@/lib/json/json";
import { isObject, type RawJson, type ShallowJson, writeJson } from "@/lib/json/raw-json";
import type { ClaimTemplate, ViewerSettings } from "@/lib/viewer-tokens/settings-schema";

/** A placeholder in a template's text. */
export const CLAIM_PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
/** The life of a viewer token unless a call asks for another, in seconds. */
export const DEFAULT_LIFE = 900;
/** The most bytes of a viewer token: proxies refuse larger headers and cookies. */
export const MAX_TOKEN_BYTES = 6_144;

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

/** The id of a viewer that a request or a token names. */
export function viewerId(viewer: unknown): string | undefined {
  return typeof viewer === "string" ? viewer : undefined;
}

/** @throws {AppError} `invalid_fields` when the environment has no such template */
export function templateIn({ templates }: Pick<ViewerSettings, "templates">, name: string): ClaimTemplate {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (template) return template;
  throw invalidFields([{ path: ["template"], message: "is not a claim template of this environment" }]);
}

/** What a template can insert. */
interface ClaimValues {
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
function fillClaims({ claims }: ClaimTemplate, values: ClaimValues): object {
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

/** What the claims of a viewer token are made of. */
interface ClaimParts {
  issuer: string;
  /** slug */
  environment: string;
  group: { team_id: number; provided_id: string; gen: number };
  settings: Pick<ViewerSettings, "visible" | "audience" | "allowed_origins">;
  template: ClaimTemplate | undefined;
  /** the caller's own, before the template's and the environment's */
  audience?: string | undefined;
  viewer: string | undefined;
  variables: ExactMembers;
  mapping: ExactMembers;
  /** the group's own; null for the environment's */
  ownOrigins: string[] | null | undefined;
  /** of this token alone */
  issued: { iat: number; exp: number; jti: string; preview?: true | undefined };
}

/**
 * The claims of a viewer token, in their order.
 * @throws {AppError} `invalid_fields` when its template needs a value that is missing
 */
export function viewerClaims(parts: ClaimParts): Record<string, unknown> {
  const { issuer, environment, group, settings, template, viewer, variables, mapping, issued } = parts;
  const { team_id, provided_id, gen } = group;
  return {
    ...(template && fillClaims(template, { team_id, user_group_id: provided_id, viewer, environment, variables })),
    iss: issuer,
    aud: parts.audience ?? template?.audience ?? settings.audience ?? issuer,
    ...{ sub: provided_id, team_id, gen, viewer, variables },
    mapping: settings.visible.mapping.length > 0 ? mapping : undefined,
    origins: parts.ownOrigins ?? settings.allowed_origins ?? undefined,
    ...issued,
  };
}

import { invalidFields } from "@/lib/errors";
import { readStoredMembers } from "@/lib/json/json";
import { RawJson, type ShallowJson, writeJson } from "@/lib/json/raw-json";
import type { ClaimTemplate, ViewerSettings } from "@/lib/viewer-tokens/settings-schema";

/** A placeholder with its untrimmed name: a pattern that trims it would take cubic time. */
export const CLAIM_PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
/** Precedes the name in a placeholder whose value is inserted as an SQL literal. */
export const SQL_PREFIX = /^sql\s+/;
/** The name of a placeholder for a member of an object. */
export const MEMBER = /^(variables|properties|mapping|viewer\.properties)\.(.+)$/s;
/** The life of a viewer token unless a call asks for another, in seconds. */
export const DEFAULT_LIFE = 900;
/** The most bytes of a viewer token: proxies refuse larger headers and cookies. */
export const MAX_TOKEN_BYTES = 6_144;

/** Members of a JSON object by name, with their exact text. */
export type ExactMembers = Record<string, ShallowJson>;

/** Only the members of a stored object that an environment lists. */
export function visibleMembers(text: string | null, listed: readonly string[]): ExactMembers {
  if (text === null || listed.length === 0) return {};
  const names = new Set(listed);
  return Object.fromEntries(Object.entries(readStoredMembers(text)).filter(([name]) => names.has(name)));
}

interface Properties {
  /** the group's properties, as JSON text */
  own: string | null;
  /** the names that the environment defines, and those that a caller may override */
  defined: ReadonlySet<string>;
  overridable: ReadonlySet<string>;
}

/**
 * Adds the caller's variables to the visible ones. Null is not a value: it overrides no property.
 * @throws {AppError} `invalid_fields` for the name of a property that is not overridable
 */
export function addVariables(visible: ExactMembers, given: RawJson | undefined, properties: Properties) {
  if (!given) return visible;
  const { own, defined, overridable } = properties;
  const ofGroup = own === null ? {} : readStoredMembers(own);
  const isProperty = (name: string) => Object.hasOwn(ofGroup, name) || defined.has(name);
  const members = Object.entries(readStoredMembers(given.text));
  const issues = members
    .filter(([name]) => isProperty(name) && !overridable.has(name))
    .map(([name]) => ({
      path: ["variables", name],
      message: "is a property of the user group: a caller cannot change it",
    }));
  if (issues.length > 0) throw invalidFields(issues);
  return { ...visible, ...Object.fromEntries(members.filter(([name, value]) => value !== null || !isProperty(name))) };
}

/** The person who views: an id, or an object with an id, as exact JSON. */
export type TokenViewer = string | RawJson;

/** A viewer's details by name. */
export function viewerMembers(viewer: TokenViewer): ExactMembers {
  return typeof viewer === "string" ? { id: viewer } : readStoredMembers(viewer.text);
}

/** The id of a viewer. */
export function viewerId(viewer: TokenViewer | undefined): string | undefined {
  return viewer === undefined ? undefined : String(viewerMembers(viewer).id);
}

/** @throws {AppError} `invalid_fields` when the environment has no such template */
export function templateIn({ templates }: Pick<ViewerSettings, "templates">, name: string): ClaimTemplate {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (template) return template;
  throw invalidFields([{ path: ["template"], message: "is not a claim template of this environment" }]);
}

/** Whether a renderer's secret signs a template's tokens, in which case the renderer's format decides their claims. */
export function isSecretSigned(
  given: Pick<ClaimTemplate, "signing"> | undefined,
): given is { signing: { algorithm: "HS256" | "HS384" | "HS512" } } {
  return given?.signing !== undefined && given.signing.algorithm !== "ES256";
}

/** The values that a template can insert. */
interface ClaimValues {
  team_id: number;
  user_group_id: string;
  name: string;
  /** the viewer's details */
  viewer: ExactMembers;
  content: readonly string[] | undefined;
  environment: string;
  issuer: string;
  iat: number;
  exp: number;
  variables: ExactMembers;
  /** the members of each part, such as `properties` */
  members: Record<string, () => ExactMembers>;
}

/** Members of a JSON text, parsed on first use and only once: a template may name hundreds, and the text has 64 KiB. */
function parsedOnce(text: string | null | undefined): () => ExactMembers {
  let members: ExactMembers | undefined;
  return () => {
    members ??= readStoredMembers(text ?? "{}");
    return members;
  };
}

/**
 * Fills the placeholders in a part of a template's claims. Refuses a missing value: a claim without it could show more
 * than it should.
 * @throws {AppError} `invalid_fields`
 */
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

function insertedValue(inBraces: string, values: ClaimValues): unknown {
  const written = inBraces.trim();
  const name = written.replace(SQL_PREFIX, "");
  const [, part, member] = MEMBER.exec(name) ?? [];
  const value = member === undefined ? plainValue(name, values) : own(values.members[part ?? ""]?.(), member);
  const path = member === undefined ? name.split(".") : [...String(part).split("."), member];
  const refuse = (message: string) => invalidFields([{ path, message }]);
  if (value === undefined || isEmpty(value)) {
    const fix = { variables: "send it, or list it as a visible property that this group has" }[part ?? ""];
    const usual = part === undefined || part === "viewer.properties" ? "send it" : "give this group a value";
    throw refuse(`is missing, and the claim template needs it: ${fix ?? usual}`);
  }
  if (writeJson(value).length > MAX_TOKEN_BYTES) throw refuse(`has more than ${MAX_TOKEN_BYTES} bytes`);
  if (name === written) return value;
  const literal = sqlLiteral(value);
  if (literal !== undefined) return literal;
  throw refuse(
    "is an object or list, or has a backslash, {{, {%, {#, a control character, or a leading or doubled quote: " +
      "databases and renderers interpret them differently",
  );
}

function plainValue(name: string, values: ClaimValues): unknown {
  if (name === "viewer") return own(values.viewer, "id");
  const [, member] = /^viewer\.(.+)$/.exec(name) ?? [];
  return member === undefined ? values[name as keyof ClaimValues] : own(values.viewer, member);
}

/** Some renderers show everything for a filter that is null, blank or an empty list. */
function isEmpty(value: unknown): boolean {
  if (value instanceof RawJson) return value.kind === "array" && /^\[\s*\]$/.test(value.text);
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * A value as a literal that is safe in every SQL dialect. Undefined for objects and lists, and for strings with a
 * backslash (an escape in some dialects), with quotes that doubling would turn into three in a row (BigQuery begins
 * another literal there), or with the start of a Jinja expression (Superset evaluates it). Negative numbers are in
 * brackets: after a minus, their own minus would begin a comment.
 */
function sqlLiteral(value: unknown): string | undefined {
  if (typeof value === "string") {
    return /[\\\p{Cc}]|\{[{%#]|^'|''/u.test(value) ? undefined : `'${value.replaceAll("'", "''")}'`;
  }
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  const number = value instanceof RawJson && value.kind === "scalar" ? value.text : value;
  if (typeof number !== "string" && typeof number !== "number") return undefined;
  return String(number).startsWith("-") ? `(${number})` : String(number);
}

function own(members: ExactMembers | undefined, name: string): ShallowJson | undefined {
  return members && Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The parts from which a viewer token's claims are made. */
interface ClaimParts {
  issuer: string;
  /** slug */
  environment: string;
  group: { team_id: number; provided_id: string; name: string; gen: number };
  settings: Pick<ViewerSettings, "visible" | "audience" | "allowed_origins">;
  template: ClaimTemplate | undefined;
  /** the caller's audience, which takes precedence over the template's and the environment's */
  audience?: string | undefined;
  viewer: TokenViewer | undefined;
  /** identifies the viewer, in base64url */
  viewerKey: string | undefined;
  content?: readonly string[] | undefined;
  variables: ExactMembers;
  mapping: ExactMembers;
  /** the group's complete properties, with defaults, and mapping, as JSON texts */
  stored: { properties: string | null; mapping: string };
  /** the group's own; null for the environment's */
  ownOrigins: string[] | null | undefined;
  /** claims that differ for each token */
  issued: { iat: number; exp: number; jti: string; preview?: true | undefined };
}

function valuesOf({ group, viewer, issued, stored, variables, ...parts }: ClaimParts): ClaimValues {
  const { team_id, provided_id: user_group_id, name } = group;
  const known: ExactMembers = viewer === undefined ? {} : viewerMembers(viewer);
  const { properties } = known;
  return {
    team_id,
    user_group_id,
    name,
    viewer: known,
    content: parts.content,
    variables,
    environment: parts.environment,
    issuer: parts.issuer,
    iat: issued.iat,
    exp: issued.exp,
    members: {
      variables: () => variables,
      properties: parsedOnce(stored.properties),
      mapping: parsedOnce(stored.mapping),
      "viewer.properties": parsedOnce(properties instanceof RawJson ? properties.text : null),
    },
  };
}

/**
 * The claims of a viewer token, in their order.
 * @throws {AppError} `invalid_fields` when its template needs a value that is missing
 */
export function viewerClaims(parts: ClaimParts): Record<string, unknown> {
  const { issuer, group, settings, template, viewer, content, variables, mapping, issued } = parts;
  const { viewerKey: viewer_key } = parts;
  const { team_id, provided_id, gen } = group;
  const filled = template && (fill(template.claims, valuesOf(parts)) as Record<string, unknown>);
  const audience = parts.audience ?? template?.audience;
  const { iat, exp, jti, preview } = issued;
  if (isSecretSigned(template)) {
    // Left out, it would limit nothing.
    if (content && !/\{\{\s*content\s*\}\}/.test(writeJson(template.claims))) {
      throw invalidFields([{ path: ["content"], message: "is not in the claims of this template" }]);
    }
    const own = { team_id, gen, viewer_key, iat, exp, jti };
    return { iss: issuer, sub: provided_id, ...filled, ...(audience && { aud: audience }), ...own };
  }
  // Without spreads, which take V8 several microseconds.
  const claims = {
    iss: issuer,
    aud: audience ?? settings.audience ?? issuer,
    sub: provided_id,
    team_id,
    gen,
    viewer,
    viewer_key,
    content,
    variables,
    mapping: settings.visible.mapping.length > 0 ? mapping : undefined,
    origins: parts.ownOrigins ?? settings.allowed_origins ?? undefined,
    iat,
    exp,
    jti,
    preview,
  };
  return filled ? { ...filled, ...claims } : claims;
}

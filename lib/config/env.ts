import { existsSync } from "node:fs";
import path from "node:path";
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { addressOf, leadsToPgBouncer, pgBouncerIn, urlProblem } from "@/lib/config/database-url";
import { once } from "@/lib/config/per-process";
import { StartError } from "@/lib/errors";

/** An empty variable counts as unset: compose files pass `NAME=` for an omitted one. */
const optional = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value || undefined, schema.optional());
const number = (fallback: number, min: number, max: number) => {
  const wanted = `must be a whole number from ${min} to ${max}`;
  // Digits alone: Number() reads white space as 0, which elsewhere means no limit.
  const digits = z.string().regex(/^\d+$/, wanted).transform(Number);
  return z.preprocess(
    (value) => value || String(fallback),
    digits.pipe(z.number(wanted).min(min, wanted).max(max, wanted)),
  );
};

const HOURS = { h: 1, d: 24 };

/** A duration such as 12h or 7d, of `min` to `max` hours; read as seconds. */
const duration = (fallback: string, min: number, max: number) => {
  const wanted = `must be hours or days from ${min}h to ${max / 24}d, such as 12h or ${fallback}`;
  return z.preprocess(
    (value) => value || fallback,
    z
      .string()
      .regex(/^[1-9]\d{0,4}[hd]$/, wanted)
      .transform((text) => Number.parseInt(text, 10) * HOURS[text.slice(-1) as keyof typeof HOURS])
      .refine((hours) => hours >= min && hours <= max, wanted)
      .transform((hours) => hours * 3_600),
  );
};

/** A number of months, such as "13 months". */
const months = z
  .string()
  .regex(/^(?:1 month|[1-9]\d{0,2} months)$/, "must be a number of months, such as 13 months")
  .transform((text) => Number.parseInt(text, 10));

// Node skips characters outside base64, so the pattern must catch a mistyped or truncated key.
const secretKey = z
  .string()
  .regex(
    /^(?:[0-9a-f]{64}|[\w+/-]{43}=?)$/i,
    "must be 32 bytes in base64 or hex: generate one with `openssl rand -base64 32`",
  )
  .transform((text) => Buffer.from(text, text.length === 64 ? "hex" : "base64"));

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/./, "must be a PostgreSQL URL: postgresql://user:password@host:5432/database")
  .superRefine((url, context) => {
    const message = urlProblem(url);
    if (message) context.addIssue({ code: "custom", message });
  });

/** A value that is also sent or typed elsewhere: a file with it often ends in an unnoticed line break. */
const unpadded = z.string().refine((text) => text === text.trim(), "must not begin or end with white space");

/** Variables that only make sense together. */
const TOGETHER = [
  ["ADMIN_EMAIL", "ADMIN_PASSWORD"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"],
] as const;

/** Default limits per minute. */
export const USUAL_LIMITS = { requests: 600_000, refusals: 6_000 };
const REQUESTS_PER_CREATION = 20;

/** How many groups per minute a caller may create, from its request limit; 0 for no limit. */
export function creationsOf(requests: number): number {
  return Math.ceil(requests / REQUESTS_PER_CREATION);
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

const variables = z.object({
  DATABASE_URL: optional(
    databaseUrl.refine((url) => [undefined, "true"].includes(pgBouncerIn(url)), "pgbouncer must be true or omitted"),
  ),
  DATABASE_OWNER_URL: optional(
    databaseUrl.refine((url) => pgBouncerIn(url) === undefined, "must point to PostgreSQL itself: leave out pgbouncer"),
  ),
  DATABASE_POOL_SIZE: number(10, 2, 1000),
  // systemd passes the unit's own folder in STATE_DIRECTORY.
  DATA_DIR: z.preprocess((value) => path.resolve(String(value || process.env.STATE_DIRECTORY || ".data")), z.string()),
  BACKUP_DIR: optional(z.string().transform((folder) => path.resolve(folder))),
  HOST: z.preprocess((value) => value || "127.0.0.1", z.string()),
  PORT: number(3000, 0, 65_535),
  TRUSTED_PROXIES: number(0, 0, 10),
  MAX_CONNECTIONS: number(8_192, 10, 1_000_000),
  PUBLIC_URL: optional(
    z
      .string()
      .refine(isOrigin, "must be an http or https URL without a path, such as https://groups.example.com")
      .transform((text) => new URL(text).origin),
  ),
  SECRET_KEY: optional(secretKey),
  PREVIOUS_SECRET_KEY: optional(secretKey),
  API_TOKEN: optional(z.string().regex(/^[\x21-\x7e]{32,255}$/, "must be 32 to 255 visible ASCII characters")),
  API_TOKEN_ENVIRONMENT: z.preprocess((value) => value || "testing", z.string()),
  ADMIN_EMAIL: optional(z.email("must be an email address").toLowerCase()),
  ADMIN_PASSWORD: optional(
    unpadded.min(12, "must have at least 12 characters").max(256, "must have at most 256 characters"),
  ),
  OIDC_ISSUER: optional(
    unpadded.pipe(z.url({ protocol: /^https?$/, error: "must be the provider's http or https URL" })),
  ),
  OIDC_CLIENT_ID: optional(unpadded),
  OIDC_CLIENT_SECRET: optional(unpadded),
  OIDC_NAME: z.preprocess((value) => value || "Single sign-on", z.string().max(60, "must have at most 60 characters")),
  SESSION_MAX_DAYS: number(30, 1, 365),
  DELETED_GROUPS_KEPT: duration("7d", 1, 2_160),
  HISTORY_KEPT: optional(months),
  WEBHOOK_PRIVATE_NETWORKS: optional(
    z
      .string()
      .transform((text) => text.split(",").map((network) => network.trim()))
      .refine(
        (networks) => z.array(z.union([z.cidrv4(), z.cidrv6()])).safeParse(networks).success,
        "must be networks separated by commas, as in 10.0.0.0/8,fd00::/8",
      ),
  ),
  METRICS_TOKEN: optional(z.string().regex(/^[\x21-\x7e]{16,255}$/, "must be 16 to 255 visible ASCII characters")),
  RATE_LIMIT_REQUESTS: number(USUAL_LIMITS.requests, 0, 1_000_000_000),
  RATE_LIMIT_REFUSALS: number(USUAL_LIMITS.refusals, 0, 1_000_000_000),
  LOG_LEVEL: z.preprocess((value) => value || "info", z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`)),
  NODE_ENV: z.preprocess((value) => value || "production", z.string()),
});

/** The names of all variables of the service. */
export const VARIABLES: readonly string[] = Object.keys(variables.shape);

const schema = variables.superRefine((values, context) => {
  for (const names of TOGETHER) {
    const missing = names.filter((name) => values[name] === undefined);
    if (missing.length === 0 || missing.length === names.length) continue;
    const message = `${missing.length > 1 ? "are" : "is"} not set: set ${names.join(", ")} together, or none of them`;
    context.addIssue({ code: "custom", path: [missing.join(", ")], message });
  }
  const { DATABASE_URL, DATABASE_OWNER_URL } = values;
  if (DATABASE_OWNER_URL && !DATABASE_URL) {
    const message = "is not set: DATABASE_OWNER_URL only migrates, and the service needs the URL of a role of its own";
    context.addIssue({ code: "custom", path: ["DATABASE_URL"], message });
  }
  if (DATABASE_URL && values.BACKUP_DIR) {
    const message = "only backs up the embedded database: with DATABASE_URL, back up that server (docs/backup.md)";
    context.addIssue({ code: "custom", path: ["BACKUP_DIR"], message });
  }
  if (DATABASE_URL && leadsToPgBouncer(DATABASE_URL) && !DATABASE_OWNER_URL) {
    const message = "is not set: pgbouncer=true requires it, because migrations need a session with PostgreSQL itself";
    context.addIssue({ code: "custom", path: ["DATABASE_OWNER_URL"], message });
  }
  if (values.OIDC_ISSUER && !values.PUBLIC_URL) {
    const message = "is not set: OIDC_ISSUER requires it, because the provider redirects people to it";
    context.addIssue({ code: "custom", path: ["PUBLIC_URL"], message });
  }
});

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
}

/** The largest edit distance at which a name counts as a typo. */
const MISTYPED = 2;

/** Variables that Kubernetes sets in every pod for a service of this name. */
const OF_KUBERNETES = /^DATABASE_(SERVICE_(HOST|PORT)|PORT($|_\d))/;

/** Names in the environment that resemble ours: a typo left unnoticed would start an empty database. */
function mistaken(given: NodeJS.ProcessEnv): string[] {
  const ours = VARIABLES.filter((name) => name.startsWith("DATABA"));
  const isClose = (name: string) => ours.some((one) => distance(name, one) <= MISTYPED);
  const isMistaken = (name: string) =>
    given[name] &&
    !VARIABLES.includes(name) &&
    !OF_KUBERNETES.test(name) &&
    name !== "DATABASE_DIRECT_URL" &&
    // With a database configured, other programs may use similar names.
    (isClose(name) || (name.startsWith("DATABA") && !given.DATABASE_URL));
  return Object.keys(given)
    .filter(isMistaken)
    .map((name) => `${name}: is not a setting of this service. Did you mean ${closest(name, ours)}?`);
}

/**
 * A setting of 0.9.0 that must not go unnoticed: without it, migrations would go through PgBouncer. One file can set
 * both, for both releases.
 */
function renamed({ DATABASE_DIRECT_URL, DATABASE_OWNER_URL }: NodeJS.ProcessEnv): string[] {
  return DATABASE_DIRECT_URL && !DATABASE_OWNER_URL
    ? ["DATABASE_DIRECT_URL: is now DATABASE_OWNER_URL: rename it"]
    : [];
}

/** Settings of earlier versions, without effect now. */
const FORMER = ["WORKERS", "RATE_LIMIT_CREATIONS", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/** The names of settings that are set and have no effect. */
export function formerSettings(): string[] {
  return FORMER.filter((name) => process.env[name]);
}

/** In production, an empty database usually means a forgotten variable. */
function forgotten(given: NodeJS.ProcessEnv): string[] {
  if (given.DATABASE_URL || given.DATA_DIR || !given.PUBLIC_URL?.startsWith("https:")) return [];
  return [
    "DATABASE_URL: is not set, although PUBLIC_URL is https. Set it, or set DATA_DIR to use the embedded database",
  ];
}

/** The configuration, read once from the environment and from `.env` next to package.json. */
export const env = once(() => {
  loadFile(path.resolve(".env"));
  return readVariables(process.env);
});

/** @throws {StartError} when the file exists and cannot be read */
export function loadFile(file: string) {
  try {
    if (existsSync(file)) process.loadEnvFile(file);
  } catch (cause) {
    // For an unreadable file, Node reports that it does not exist.
    throw new StartError(`Cannot read ${file}: let this user read it, or move it away.`, { cause });
  }
}

/** @throws {StartError} that names each invalid variable, never its value */
export function readVariables(given: NodeJS.ProcessEnv): z.infer<typeof schema> {
  const result = schema.safeParse(given);
  const issues = result.error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) ?? [];
  issues.push(...mistaken(given), ...renamed(given), ...forgotten(given));
  if (result.success && issues.length === 0) return result.data;
  throw new StartError(`Invalid configuration:\n${issues.map((issue) => `  ${issue}`).join("\n")}`);
}

let hiddenOwnerUrl: string | undefined;

/** The URL that migrations use, if set: for the role that owns the tables, bypassing PgBouncer. */
export function ownerUrl(): string | undefined {
  return hiddenOwnerUrl ?? env().DATABASE_OWNER_URL;
}

/**
 * Removes the owner's password from `process.env`, so that child processes do not inherit it. `/proc/PID/environ` still
 * shows it.
 */
export function hideOwnerUrl() {
  const settings = env();
  hiddenOwnerUrl = ownerUrl();
  if (hiddenOwnerUrl === undefined) return;
  // The bare address still says that PgBouncer can be bypassed, and keeps `.env` from setting the URL again.
  settings.DATABASE_OWNER_URL = `postgresql://${addressOf(hiddenOwnerUrl)}`;
  process.env.DATABASE_OWNER_URL = settings.DATABASE_OWNER_URL;
  if (process.env.DATABASE_DIRECT_URL) process.env.DATABASE_DIRECT_URL = "";
}

/** Discards the URLs that {@link hideOwnerUrl} has hidden. */
export function forgetOwnerUrl() {
  hiddenOwnerUrl = undefined;
}

/** The service's address for people: PUBLIC_URL, or else the listening address, as opened from this machine. */
export function publicUrl(port: number = env().PORT): string {
  return env().PUBLIC_URL ?? localUrl(port);
}

/** Whether a host means all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/**
 * The listening address as opened from this machine: `localhost` for all addresses of that name, because two spellings
 * would mean two issuers of viewer tokens and two sign-ins.
 */
export function localUrl(port: number): string {
  const { HOST } = env();
  if (isWildcard(HOST) || HOST === "127.0.0.1" || HOST === "::1") return `http://localhost:${port}`;
  return `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`;
}

/** Whether a host name means this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}

import { existsSync } from "node:fs";
import path from "node:path";
import { closest, distance } from "fastest-levenshtein";
import { z } from "zod";
import { once } from "@/lib/config/once";
import { leadsToPgBouncer, pgBouncerIn } from "@/lib/config/pgbouncer";
import { StartError } from "@/lib/errors";

/** An empty variable counts as unset: compose files pass `NAME=` for what was left out. */
const optional = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value || undefined, schema.optional());
const number = (fallback: number, min: number, max: number) => {
  const wanted = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(
    (value) => value || fallback,
    z.coerce.number(wanted).int(wanted).min(min, wanted).max(max, wanted),
  );
};

// Node skips what is not base64, so the pattern has to notice a key that was mistyped or cut.
const secretKey = z
  .string()
  .regex(
    /^(?:[0-9a-f]{64}|[\w+/-]{43}=?)$/i,
    "must be 32 bytes in base64 or hex: make one with `openssl rand -base64 32`",
  )
  .transform((text) => Buffer.from(text, text.length === 64 ? "hex" : "base64"));

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/./, "must be a PostgreSQL URL: postgresql://user:password@host:5432/database")
  .refine(URL.canParse, "is not a URL: percent-encode what is special in the user name and the password")
  .refine(
    (url) => !URL.canParse(url) || [null, "read-write"].includes(new URL(url).searchParams.get("target_session_attrs")),
    "target_session_attrs must be read-write, or be left out: the service refuses a standby in any case",
  );

/** Variables of which each makes sense beside the others only. */
const TOGETHER = [
  ["ADMIN_EMAIL", "ADMIN_PASSWORD"],
  ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"],
] as const;

/** What is let through in a minute where nothing else is configured. */
export const USUAL_LIMITS = { requests: 600_000, creations: 30_000, refusals: 6_000 };

const variables = z.object({
  DATABASE_URL: optional(
    databaseUrl.refine(
      (url) => [undefined, "true"].includes(pgBouncerIn(url)),
      "pgbouncer must be true, or be left out",
    ),
  ),
  DATABASE_DIRECT_URL: optional(
    databaseUrl.refine((url) => pgBouncerIn(url) === undefined, "must lead to PostgreSQL itself: leave out pgbouncer"),
  ),
  DATABASE_OWNER_URL: optional(
    databaseUrl.refine((url) => pgBouncerIn(url) === undefined, "must lead to PostgreSQL itself: leave out pgbouncer"),
  ),
  DATABASE_POOL_SIZE: number(10, 2, 1000),
  // systemd names the folder of a unit's own in STATE_DIRECTORY.
  DATA_DIR: z.preprocess((value) => path.resolve(String(value || process.env.STATE_DIRECTORY || ".data")), z.string()),
  HOST: z.preprocess((value) => value || "127.0.0.1", z.string()),
  PORT: number(3000, 0, 65_535),
  WORKERS: number(1, 1, 128),
  TRUSTED_PROXIES: number(0, 0, 10),
  MAX_CONNECTIONS: number(8_192, 10, 1_000_000),
  PUBLIC_URL: optional(
    z
      .string()
      .refine(isOrigin, "must be an http or https address without a path, as https://groups.example.com")
      .transform((text) => new URL(text).origin),
  ),
  SECRET_KEY: optional(secretKey),
  PREVIOUS_SECRET_KEY: optional(secretKey),
  API_TOKEN: optional(z.string().regex(/^[\x21-\x7e]{32,255}$/, "must be 32 to 255 visible ASCII characters")),
  API_TOKEN_ENVIRONMENT: z.preprocess((value) => value || "testing", z.string()),
  ADMIN_EMAIL: optional(z.email("must be an email address").toLowerCase()),
  ADMIN_PASSWORD: optional(
    z.string().min(12, "must have at least 12 characters").max(256, "must have at most 256 characters"),
  ),
  OIDC_ISSUER: optional(z.url({ protocol: /^https?$/, error: "must be the http or https address of the provider" })),
  OIDC_CLIENT_ID: optional(z.string()),
  OIDC_CLIENT_SECRET: optional(z.string()),
  OIDC_NAME: z.preprocess((value) => value || "Single sign-on", z.string().max(60, "must have at most 60 characters")),
  SESSION_MAX_DAYS: number(30, 1, 365),
  METRICS_TOKEN: optional(z.string().regex(/^[\x21-\x7e]{16,255}$/, "must be 16 to 255 visible ASCII characters")),
  RATE_LIMIT_REQUESTS: number(USUAL_LIMITS.requests, 0, 1_000_000_000),
  RATE_LIMIT_CREATIONS: number(USUAL_LIMITS.creations, 0, 1_000_000_000),
  RATE_LIMIT_REFUSALS: number(USUAL_LIMITS.refusals, 0, 1_000_000_000),
  // The exporter reads it, and the rest of its kind, itself.
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    z.url({ protocol: /^https?$/, error: "must be the http or https address of a collector" }),
  ),
  LOG_LEVEL: z.preprocess(
    (value) => value || "info",
    z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  ),
  NODE_ENV: z.preprocess((value) => value || "production", z.string()),
});

/** The names of all variables that the service reads. */
export const VARIABLES: readonly string[] = Object.keys(variables.shape);

const schema = variables.superRefine((values, context) => {
  for (const names of TOGETHER) {
    const missing = names.filter((name) => values[name] === undefined);
    if (missing.length === 0 || missing.length === names.length) continue;
    const message = `${missing.length > 1 ? "are" : "is"} not set: set ${names.join(", ")} together, or none of them`;
    context.addIssue({ code: "custom", path: [missing.join(", ")], message });
  }
  const fewest = values.WORKERS === 1 ? 2 : values.WORKERS + 2;
  if (values.DATABASE_POOL_SIZE < fewest) {
    const message = `must be at least ${fewest}: WORKERS is ${values.WORKERS}, and each process needs a connection`;
    context.addIssue({ code: "custom", path: ["DATABASE_POOL_SIZE"], message });
  }
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_OWNER_URL } = values;
  if (DATABASE_DIRECT_URL && !DATABASE_URL) {
    const message = "is not set: DATABASE_DIRECT_URL is the way past it for migrations, and is not used alone";
    context.addIssue({ code: "custom", path: ["DATABASE_URL"], message });
  }
  if (DATABASE_OWNER_URL && !DATABASE_URL) {
    const message = "is not set: DATABASE_OWNER_URL migrates, and the service needs the URL of a role to serve with";
    context.addIssue({ code: "custom", path: ["DATABASE_URL"], message });
  }
  if (DATABASE_URL && leadsToPgBouncer(DATABASE_URL) && !DATABASE_DIRECT_URL) {
    const message =
      "is not set: with pgbouncer=true it must be, as migrations need a session, which PgBouncer shares out";
    context.addIssue({ code: "custom", path: ["DATABASE_DIRECT_URL"], message });
  }
  if (values.OIDC_ISSUER && !values.PUBLIC_URL) {
    const message = "is not set: with OIDC_ISSUER it must be, as the provider sends people back to it";
    context.addIssue({ code: "custom", path: ["PUBLIC_URL"], message });
  }
});

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
}

/** How many letters a name may be off, and still be taken for one of ours that was mistyped. */
const MISTYPED = 2;

/** What Kubernetes sets in every pod for a service of this name. */
const OF_KUBERNETES = /^DATABASE_(SERVICE_(HOST|PORT)|PORT($|_\d))/;

/** Names of the environment that someone took for one of ours: left unnoticed, an empty database would be served. */
function mistaken(given: NodeJS.ProcessEnv): string[] {
  const ours = VARIABLES.filter((name) => name.startsWith("DATABA"));
  const isClose = (name: string) => ours.some((one) => distance(name, one) <= MISTYPED);
  const isMistaken = (name: string) =>
    given[name] &&
    !VARIABLES.includes(name) &&
    !OF_KUBERNETES.test(name) &&
    // With a database to serve, other programs may have names of their own.
    (isClose(name) || (name.startsWith("DATABA") && !given.DATABASE_URL));
  return Object.keys(given)
    .filter(isMistaken)
    .map((name) => `${name}: is not a setting of this service. Did you mean ${closest(name, ours)}?`);
}

/** Production starts empty where its database was only forgotten. */
function forgotten(given: NodeJS.ProcessEnv): string[] {
  if (given.DATABASE_URL || given.DATA_DIR || !given.PUBLIC_URL?.startsWith("https:")) return [];
  return [
    "DATABASE_URL: is not set, and PUBLIC_URL is https. Set it; or set DATA_DIR to the folder of the embedded database, if that is to be used",
  ];
}

/**
 * The configuration, read once from the environment and from `.env` beside package.json.
 * @throws {StartError} that names each variable that is wrong, never its value
 */
export const env = once((): z.infer<typeof schema> => {
  if (existsSync(".env")) process.loadEnvFile(".env");
  const result = schema.safeParse(process.env);
  const issues = result.error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`) ?? [];
  issues.push(...mistaken(process.env), ...forgotten(process.env));
  if (result.success && issues.length === 0) return result.data;
  throw new StartError(`The configuration cannot be used:\n${issues.map((issue) => `  ${issue}`).join("\n")}`);
});

let hiddenOwnerUrl: string | undefined;

/** The URL of the role that owns the database, if one is set. */
export function ownerUrl(): string | undefined {
  return hiddenOwnerUrl ?? env().DATABASE_OWNER_URL ?? env().DATABASE_DIRECT_URL;
}

/** Removes the owner's password from `process.env`, so that child processes do not inherit it. `/proc/PID/environ` still shows it. */
export function hideOwnerUrl() {
  const settings = env();
  hiddenOwnerUrl = ownerUrl();
  for (const name of ["DATABASE_OWNER_URL", "DATABASE_DIRECT_URL"] as const) {
    const given = settings[name];
    if (given === undefined) continue;
    // The bare address still says that there is a way past PgBouncer, and keeps `.env` from setting it again.
    const { host, pathname } = new URL(given);
    settings[name] = `postgresql://${host}${pathname}`;
    process.env[name] = settings[name];
  }
}

/** Forgets what {@link hideOwnerUrl} has hidden. */
export function forgetOwnerUrl() {
  hiddenOwnerUrl = undefined;
}

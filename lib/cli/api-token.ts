import { parseArgs } from "node:util";
import type { z } from "zod";
import { replaceApiToken } from "@/lib/api-tokens/replacement";
import { type NewApiToken, newApiToken, type Overlap } from "@/lib/api-tokens/schema";
import { createApiToken, listApiTokens, revokeApiToken } from "@/lib/api-tokens/service";
import type { ApiTokenSummary } from "@/lib/api-tokens/summary";
import { PRESET_WORDS, SCOPE_WORDS } from "@/lib/authority/scope-words";
import { PRESETS } from "@/lib/authority/scopes";
import { OPERATOR, runCommand, table } from "@/lib/cli/command";
import { databaseNow } from "@/lib/db/clock";
import { findEnvironment } from "@/lib/environments/service";
import { StartError } from "@/lib/errors";
import { isDay } from "@/lib/json/exact-value";
import { dayOf } from "@/lib/limits/days";

const USAGE = `Usage:
  ./user-groups api-token create --name NAME [--environment testing] [--preset backend | --scopes a,b]
    [--network CIDR …] [--expires 90d]
  ./user-groups api-token list
  ./user-groups api-token replace ID [--overlap 24h]
  ./user-groups api-token revoke ID
--environment defaults to testing, --preset to backend. --network limits where calls may come from.
--expires takes hours (12h), days (90d), weeks (8w) or a date (2027-01-31).
create prints only the token, which is not stored and cannot be shown again. replace prints a new value with the same
name, scopes, networks and expiry. The old one stays valid for --overlap: 0 (the default), 1h, 24h or 7d.

Presets:
${lines(PRESETS, (preset) => PRESET_WORDS[preset].hint)}

Scopes, for --scopes:
${lines(SCOPE_WORDS, (scope) => SCOPE_WORDS[scope])}`;

/** One line per name, with its meaning. */
function lines<Name extends string>(named: Readonly<Record<Name, unknown>>, meaning: (name: Name) => string): string {
  const names = Object.keys(named) as Name[];
  const width = Math.max(...names.map(({ length }) => length));
  return names.map((name) => `  ${name.padEnd(width)}  ${meaning(name)}`).join("\n");
}

/** The values of --overlap in seconds. */
const OVERLAP_SECONDS = { "0": 0, "1h": 3_600, "24h": 86_400, "7d": 604_800 } as const;
const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        environment: { type: "string" },
        name: { type: "string" },
        preset: { type: "string" },
        scopes: { type: "string" },
        network: { type: "string", multiple: true },
        expires: { type: "string" },
        overlap: { type: "string" },
      },
    });
    const [verb = "", ...operands] = positionals;
    if (!["create", "list", "replace", "revoke"].includes(verb)) {
      throw new StartError(verb ? `Unknown command "${verb}".` : "Give a command: create, list, replace or revoke.");
    }
    const id = verb === "create" || verb === "list" ? undefined : operands.shift();
    if (operands.length > 0) throw new StartError(`Unexpected argument "${operands[0]}".`);
    const verbOf = (option: string) => (option === "overlap" ? "replace" : "create");
    const stray = Object.keys(values).find((option) => verbOf(option) !== verb);
    if (stray) throw new StartError(`--${stray} belongs to ${verbOf(stray)}.`);
    if (values.preset && values.scopes) throw new StartError("Give --preset or --scopes, not both.");
    if (verb === "list") return list;
    if (verb === "revoke") return () => revoke(id);
    if (verb === "replace") {
      const overlap = readOverlap(values.overlap ?? "0");
      return () => replace(id, overlap);
    }
    const fields = newApiToken.safeParse({
      name: values.name,
      scopes: scopesFrom(values),
      allowedNetworks: values.network,
      expiresAt: null,
    });
    if (!fields.success) throw new StartError(explain(fields.error));
    const expiry = values.expires === undefined ? undefined : readExpiry(values.expires);
    return () => create(values.environment ?? "testing", fields.data, expiry);
  },
});

/** The scopes that the options name. */
function scopesFrom({ preset = "backend", scopes }: { preset?: string | undefined; scopes?: string | undefined }) {
  if (scopes !== undefined) return scopes.split(",");
  const named = Object.entries(PRESETS).find(([name]) => name === preset);
  if (!named) throw new StartError(`Unknown preset "${preset}": use ${Object.keys(PRESETS).join(", ")}.`);
  return named[1];
}

function explain({ issues }: z.ZodError): string {
  const [{ path = [], message = "" } = {}] = issues;
  const options: Record<string, string> = { scopes: "--scopes", allowedNetworks: "--network" };
  const option = options[String(path[0])];
  return option
    ? `${option}: ${message}.`
    : "Give the token a --name of 1 to 255 characters, at least one of them visible.";
}

async function create(slug: string, fields: NewApiToken, expiry?: Expiry): Promise<string> {
  const now = (await databaseNow()).getTime();
  const at = expiry && ("after" in expiry ? now + expiry.after : expiry.at);
  if (at !== undefined && at <= now) throw new StartError("--expires is in the past.");
  const expiresAt = at === undefined ? null : new Date(at);
  const { token } = await createApiToken(await findEnvironment(slug), { ...fields, expiresAt }, OPERATOR);
  return `${token}\n`;
}

/** A token's expiry in milliseconds: relative or absolute. */
type Expiry = { after: number } | { at: number };

function readExpiry(text: string): Expiry {
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (amount && unit) return { after: Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS] };
  if (!isDay(text)) throw new StartError(`--expires is invalid: "${text}".`);
  return { at: Date.parse(text) };
}

/** How long a replaced token stays valid, in seconds. */
function readOverlap(text: string) {
  if (Object.hasOwn(OVERLAP_SECONDS, text)) return OVERLAP_SECONDS[text as keyof typeof OVERLAP_SECONDS];
  throw new StartError(`--overlap is invalid: "${text}". Use ${Object.keys(OVERLAP_SECONDS).join(", ")}.`);
}

async function list(): Promise<string> {
  return table([
    ["ID", "ENVIRONMENT", "NAME", "SCOPES", "NETWORKS", "CREATED", "LAST USED", "STATE"],
    ...(await listApiTokens()).map((token) => [
      String(token.id),
      token.environment,
      token.name,
      token.scopes.join(" "),
      token.allowedNetworks.join(" ") || "any",
      dayOf(token.createdAt),
      token.lastUsedAt ? dayOf(token.lastUsedAt) : "never",
      stateOf(token),
    ]),
  ]);
}

function stateOf({ state, revokedAt, expiresAt, replacedBy, refused }: ApiTokenSummary): string {
  const since = revokedAt ?? expiresAt;
  const times = refused?.count === 1 ? "once" : `${refused?.count} times`;
  return [
    since ? `${state === "valid" ? "valid until" : state} ${dayOf(since)}` : state,
    ...(replacedBy === null ? [] : [`replaced by ${replacedBy}`]),
    ...(refused ? [`refused ${times} from outside its networks, last from ${refused.from}`] : []),
  ].join(", ");
}

function readId(id: string | undefined): number {
  if (id && /^\d{1,9}$/.test(id)) return Number(id);
  throw new StartError("Give the ID that `./user-groups api-token list` shows.");
}

async function replace(id: string | undefined, overlap: Overlap): Promise<string> {
  const { token } = await replaceApiToken({ id: readId(id) }, overlap, OPERATOR);
  return `${token}\n`;
}

async function revoke(id: string | undefined): Promise<string> {
  if (!(await revokeApiToken(readId(id), OPERATOR))) {
    throw new StartError(`API token ${id} is unknown or already revoked.`);
  }
  return `API token ${id} is revoked: the next request made with it is refused.\n`;
}

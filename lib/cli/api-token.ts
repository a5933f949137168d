import { parseArgs } from "node:util";
import type { z } from "zod";
import { type NewApiToken, newApiToken } from "@/lib/api-tokens/schema";
import { type ApiTokenSummary, createApiToken, listApiTokens, revokeApiToken } from "@/lib/api-tokens/service";
import { OPERATOR, runCommand } from "@/lib/cli/command";
import { table } from "@/lib/cli/table";
import { databaseNow } from "@/lib/db/clock";
import { PRESETS } from "@/lib/db/scopes";
import { findEnvironment } from "@/lib/environments/service";
import { StartError } from "@/lib/errors";

const USAGE = `Usage:
  npm run -s api-token -- create --environment testing --name NAME [--preset backend | --scopes a,b] [--network CIDR …] [--expires 90d]
  npm run -s api-token -- list
  npm run -s api-token -- revoke ID
--environment defaults to testing, --preset to backend. Presets: renderer (asks whose token a viewer has), backend (get, create,
update, rotate), read-only, full. --scopes takes scopes instead. --network limits where calls may come from. --expires takes hours (12h), days (90d), weeks (8w) or a date (2027-01-31).
create prints only the token, which is not stored and cannot be shown again.`;

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
        network: { type: "string", multiple: true, default: [] },
        expires: { type: "string" },
      },
    });
    const [verb = "", ...operands] = positionals;
    if (!["create", "list", "revoke"].includes(verb)) {
      throw new StartError(verb ? `Unknown command "${verb}".` : "Give a command: create, list or revoke.");
    }
    const id = verb === "revoke" ? operands.shift() : undefined;
    if (operands.length > 0) throw new StartError(`Unexpected argument "${operands[0]}".`);
    if (verb === "list") return list;
    if (verb === "revoke") return () => revoke(id);
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
  if (at !== undefined && at <= now) throw new StartError(`--expires is in the past.\n\n${USAGE}`);
  const expiresAt = at === undefined ? null : new Date(at);
  const { token } = await createApiToken(await findEnvironment(slug), { ...fields, expiresAt }, OPERATOR);
  return `${token}\n`;
}

/** A token's expiry in milliseconds: relative or absolute. */
type Expiry = { after: number } | { at: number };

function readExpiry(text: string): Expiry {
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (amount && unit) return { after: Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS] };
  const at = parseDay(text);
  if (Number.isNaN(at)) throw new StartError(`--expires is invalid: "${text}".`);
  return { at };
}

/** The start of a day in UTC, or NaN. Date.parse reads February 30 as a day in March, and "in 2030" as a date. */
function parseDay(text: string): number {
  const date = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(date) && day(new Date(date)) === text ? date : Number.NaN;
}

async function list(): Promise<string> {
  return table([
    ["ID", "ENVIRONMENT", "NAME", "SCOPES", "CREATED", "LAST USED", "STATE"],
    ...(await listApiTokens()).map((token) => [
      String(token.id),
      token.environment,
      token.name,
      token.scopes.join(" "),
      day(token.createdAt),
      token.lastUsedAt ? day(token.lastUsedAt) : "never",
      stateOf(token),
    ]),
  ]);
}

function stateOf({ state, revokedAt, expiresAt }: ApiTokenSummary): string {
  const since = revokedAt ?? expiresAt;
  return since ? `${state === "valid" ? "valid until" : state} ${day(since)}` : state;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

async function revoke(id: string | undefined): Promise<string> {
  if (!id || !/^\d{1,9}$/.test(id)) throw new StartError("Give the ID that `npm run -s api-token -- list` shows.");
  if (!(await revokeApiToken(Number(id), OPERATOR))) {
    throw new StartError(`API token ${id} is unknown or already revoked.`);
  }
  return `API token ${id} is revoked: the next request made with it is refused.\n`;
}

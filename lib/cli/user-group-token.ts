import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { z } from "zod";
import { OPERATOR, runCommand, table } from "@/lib/cli/command";
import { findEnvironment } from "@/lib/environments/service";
import { AppError, StartError } from "@/lib/errors";
import { replaceTokenOf } from "@/lib/groups/rotation";
import { anyJson } from "@/lib/json/any-json";
import { instant } from "@/lib/json/instant";

const USAGE = `Usage:  ./user-groups user-group-token rotate-replaced --since 2026-11-20T02:00:00Z < EVENTS
Use it after a restore: it rotates each token that was replaced after --since, according to the output of
"./user-groups events", and prints which.`;

const NO_ENTRIES =
  'The input has no line of "./user-groups events", so no token was rotated. With journalctl, add --output=cat; ' +
  "with docker compose logs, --no-log-prefix.";

/** A line of `./user-groups events`. */
const entry = z.object({ type: z.string(), at: z.iso.datetime() });

/** A line of `./user-groups events` about a token that ended, or a group's new id. */
const replacement = z.object({
  type: z.enum(["user_group.token_rotated", "user_group.overlap_ended", "user_group.renamed"]),
  at: z.iso.datetime(),
  environment: z.string(),
  provided_id: z.string(),
  before: z.object({ provided_id: z.string() }).nullable().catch(null),
});

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { since: { type: "string" } } });
    const [verb, ...rest] = positionals;
    if (verb !== "rotate-replaced") throw new StartError("Give the command rotate-replaced.");
    if (rest.length > 0) throw new StartError(`Unexpected argument "${rest[0]}".`);
    const since = instant("must be a time with its zone, as in 2026-11-20T02:00:00Z").safeParse(values.since);
    if (!since.data) throw new StartError(`--since ${since.error?.issues[0]?.message}`);
    return () => rotateReplaced(since.data);
  },
});

/** Rotates the token of each group that an entry on stdin names, and reports groups that are gone. */
async function rotateReplaced(since: Date): Promise<string> {
  const named = new Map<string, [string, string]>();
  const former = new Map<string, string>();
  let [entries, skipped] = [0, 0];
  for await (const line of createInterface({ input: process.stdin })) {
    const json = anyJson(line);
    if (entry.safeParse(json).success) entries++;
    else skipped++;
    const { data } = replacement.safeParse(json);
    if (!data || Date.parse(data.at) < since.getTime()) continue;
    const place = JSON.stringify([data.environment, data.provided_id]);
    if (data.type !== "user_group.renamed") named.set(place, [data.environment, data.provided_id]);
    else if (data.before) former.set(place, data.before.provided_id);
  }
  if (entries === 0) throw new StartError(NO_ENTRIES);
  const rows: string[][] = [];
  for (const [slug, providedId] of named.values()) {
    rows.push([slug, JSON.stringify(providedId), await rotateAgain(slug, providedId, former)]);
  }
  // A kill may have cut a line, and a journal has other messages.
  const note = skipped > 0 ? `Lines skipped because they are not entries: ${skipped}\n` : "";
  const rotated = table([["ENVIRONMENT", "ID", "TOKEN"], ...rows]);
  return (rows.length > 0 ? rotated : "No token was rotated since then.\n") + note;
}

/** Rotates a group's token, under its former id if the restored database has no group with this id. */
async function rotateAgain(slug: string, providedId: string, former: Map<string, string>): Promise<string> {
  try {
    const { id: environmentId } = await findEnvironment(slug);
    await replaceTokenOf({ environmentId, providedId }, OPERATOR);
    return "rotated";
  } catch (error) {
    // Created after the backup: the restored database has no such group, or environment.
    const isGone =
      error instanceof StartError ||
      (error instanceof AppError && (error.code === "unknown_user_group" || error.code === "renamed"));
    if (!isGone) throw error;
    const place = JSON.stringify([slug, providedId]);
    const was = former.get(place);
    // Each id only once: a group may have been renamed back and forth.
    if (was === undefined || !former.delete(place)) return error.message;
    return rotateAgain(slug, was, former);
  }
}

import { dropOldMonths } from "@/lib/audit/retention";
import { asOwner } from "@/lib/cli/as-owner";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { env } from "@/lib/config/env";
import { StartError } from "@/lib/errors";
import { ATTEMPTS, isBlocked } from "@/lib/migrations/patience";

await runCommand({
  usage: `Usage:  ./user-groups prune-history
Drops the months of the history that ended HISTORY_KEPT ago, as the role of DATABASE_OWNER_URL, while the service runs.
Safe to repeat. Exits with 1 on failure.`,
  isApart: true,
  parse: withoutArguments(async () => {
    const months = env().HISTORY_KEPT;
    if (months === undefined) throw new StartError("HISTORY_KEPT is not set: the history is kept forever.");
    const dropped = await asOwner(({ owner }) => dropOldMonths(owner, months).catch(explain));
    if (!dropped) throw new StartError("Another process is migrating this database or pruning its history. Try again.");
    return dropped.length === 0 ? "No month is old enough.\n" : `Dropped: ${dropped.join(", ")}.\n`;
  }),
});

function explain(error: unknown): never {
  if (!isBlocked(error)) throw error;
  throw new StartError(
    `The history stayed locked through ${ATTEMPTS} attempts. End long transactions (see pg_stat_activity), then ` +
      "run this again: it continues where it stopped.",
    { cause: error },
  );
}

import { OPERATOR, runCommand } from "@/lib/cli/command";
import { table } from "@/lib/cli/table";
import { StartError } from "@/lib/errors";
import { acceptLosses, listLosses } from "@/lib/lost-writes/service";

const USAGE = `Usage:
  npm run -s lost-writes -- list
  npm run -s lost-writes -- accept
list shows acknowledged changes that a failover of the database lost. accept ends the alarm and, with ON_LOST_WRITES=stop,
allows changes again, in all instances.`;

const COMMANDS: Record<string, () => Promise<string>> = { list, accept };

await runCommand({
  usage: USAGE,
  parse() {
    const [verb = "", ...rest] = process.argv.slice(2);
    const run = COMMANDS[verb];
    if (!run) throw new StartError("Give a command: list or accept.");
    if (rest.length > 0) throw new StartError(`Unexpected argument "${rest[0]}".`);
    return run;
  },
});

async function list(): Promise<string> {
  const losses = await listLosses();
  if (losses.length === 0) return "Nothing has been lost.\n";
  return table([
    ["FOUND", "ENVIRONMENT", "TEAM ID", "USER GROUP", "LOST CHANGES"],
    ...losses.flatMap(({ foundAt, groups }) =>
      groups.map(({ environment, team_id, provided_id, actions }) => [
        foundAt.toISOString(),
        environment ?? "-",
        String(team_id),
        provided_id ?? "-",
        actions.map((action) => action.slice("user_group.".length)).join(", "),
      ]),
    ),
  ]);
}

async function accept(): Promise<string> {
  const losses = await listLosses();
  if (losses.length === 0) return "Nothing has been lost. Nothing has changed.\n";
  await acceptLosses(
    losses.map(({ id }) => id),
    OPERATOR,
  );
  return "Accepted. Changes are allowed.\n";
}

import { parseArgs } from "node:util";
import { runCommand, table } from "@/lib/cli/command";
import { verifyGroups } from "@/lib/groups/verify";

const USAGE = `Usage:  ./user-groups verify [--json]
Compares each user group with the history and with the lists, and opens its token, while the service runs.
It changes nothing. Exits with 1 if it finds a fault.`;

await runCommand({
  usage: USAGE,
  parse() {
    const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
    return async () => {
      const found = await verifyGroups();
      return { text: values.json ? `${JSON.stringify(found, null, 2)}\n` : inWords(found), code: found.faults ? 1 : 0 };
    };
  },
});

function inWords({ groups, faults, named }: Awaited<ReturnType<typeof verifyGroups>>): string {
  const groupsChecked = `${groups} user ${groups === 1 ? "group" : "groups"} checked`;
  if (faults === 0) return `${groupsChecked}, and all match the history.\n`;
  const rows = named.map(({ team_id, environment, provided_id, fault }) => [
    String(team_id),
    environment ?? "",
    JSON.stringify(provided_id ?? ""),
    fault,
  ]);
  const more = faults > named.length ? `… and ${faults - named.length} more\n` : "";
  const found = table([["TEAM_ID", "ENVIRONMENT", "ID", "FAULT"], ...rows]);
  return `${groupsChecked}, with ${faults} ${faults === 1 ? "fault" : "faults"}:\n\n${found}${more}`;
}

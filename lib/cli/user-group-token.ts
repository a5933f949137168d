import { parseArgs } from "node:util";
import { OPERATOR, runCommand } from "@/lib/cli/command";
import { readOverlap } from "@/lib/cli/overlap";
import { findEnvironment } from "@/lib/environments/service";
import { StartError } from "@/lib/errors";
import { replaceTokenOf } from "@/lib/groups/rotation";
import { endOverlap } from "@/lib/store/previous-token";

const USAGE = `Usage:
  npm run -s user-group-token -- rotate USER_GROUP_ID --environment production [--overlap 24h]
  npm run -s user-group-token -- end-overlap USER_GROUP_ID --environment production
--environment defaults to testing. rotate prints the new token. The old one stays valid for --overlap: 0 (the default), 1h, 24h
or 7d. end-overlap ends it now.`;

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { environment: { type: "string", default: "testing" }, overlap: { type: "string" } },
    });
    const [verb, providedId, ...rest] = positionals;
    if (verb !== "rotate" && verb !== "end-overlap") throw new StartError("Give a command: rotate or end-overlap.");
    if (providedId === undefined) throw new StartError("Give the user group's id.");
    if (rest.length > 0) throw new StartError(`Unexpected argument "${rest[0]}".`);
    if (verb === "rotate") {
      const overlap = readOverlap(values.overlap ?? "0");
      return () => rotate(values.environment, providedId, overlap);
    }
    if (values.overlap !== undefined) throw new StartError("--overlap belongs to rotate.");
    return () => end(values.environment, providedId);
  },
});

async function rotate(slug: string, providedId: string, overlapSeconds: number): Promise<string> {
  const { id: environmentId } = await findEnvironment(slug);
  const { token } = await replaceTokenOf({ environmentId, providedId }, overlapSeconds, OPERATOR);
  return `${token}\n`;
}

async function end(slug: string, providedId: string): Promise<string> {
  const { id: environmentId } = await findEnvironment(slug);
  const group = await endOverlap({ environmentId, providedId }, OPERATOR);
  if (!group) throw new StartError(`There is no user group "${providedId}" in ${slug}.`);
  return group.ended ? "The old token no longer works.\n" : "No old token was valid. Nothing has changed.\n";
}

import { parseArgs } from "node:util";
import { httpUrl, listenForSignals, readCallSettings, runCommand, table } from "@/lib/cli/command";
import { type ProbedGroup, probe, TOKEN_PLACE } from "@/lib/doctor/probe";
import { StartError } from "@/lib/errors";
import { anyJson } from "@/lib/json/any-json";

const HEADER = `Authorization: Bearer ${TOKEN_PLACE}`;
/** Verifiers tolerate 60 s between clocks. */
const WITHIN = 75;

const USAGE = `Usage:
  ./user-groups probe --url https://renderer.example.com/data --group A --marker TEXT --group B --marker TEXT
    [--variables JSON --variables JSON] [--header "${HEADER}"]
    [--template NAME] [--within ${WITHIN}]
Calls a renderer with viewer tokens: it must show A and B only their own markers, and refuse an expired, a revoked, a
suspended group's, a foreign and an altered token with 4xx. Prints a line for each; exits with 1 if one is wrong.
USER_GROUPS_URL is the service, USER_GROUPS_API_TOKEN an API token with the scopes groups:read, groups:create,
groups:write, groups:delete and viewers:mint. A and B are only read. Tokens are ended on three new groups with A's
properties and mapping; these are then deleted, and appear in the history and webhooks.
--url or --header has ${TOKEN_PLACE} where the token goes. --variables: those to mint A's and B's tokens with.
--within: seconds that the renderer may take to refuse a token that has ended. One expires after 10 s.`;

await runCommand({
  usage: USAGE,
  isApart: true,
  parse() {
    const { values } = parseArgs({
      options: {
        url: { type: "string", default: "" },
        group: { type: "string", multiple: true, default: [] },
        marker: { type: "string", multiple: true, default: [] },
        variables: { type: "string", multiple: true, default: [] },
        header: { type: "string" },
        template: { type: "string" },
        within: { type: "string", default: String(WITHIN) },
      },
    });
    const { url, template } = values;
    httpUrl(url.replaceAll(TOKEN_PLACE, "t"), "--url");
    const header = values.header ?? (url.includes(TOKEN_PLACE) ? undefined : HEADER);
    if (header !== undefined && !(header.includes(":") && (header + url).includes(TOKEN_PLACE))) {
      throw new StartError(`--header must be "Name: value", and it or --url must contain ${TOKEN_PLACE}.`);
    }
    const groups = groupsFrom(values);
    const within = Number(values.within);
    if (!Number.isInteger(within) || within < 1 || within > 600) throw new StartError("--within must be 1 to 600 s.");
    return async () => {
      const { interrupted } = listenForSignals();
      const judged = await probe({ ...readCallSettings(), url, header, template, groups, within, interrupted });
      const rows = judged.map(({ name, isRight, says }) => [isRight ? "✓" : "✗", name, says]);
      return { text: table(rows), code: judged.every(({ isRight }) => isRight) ? 0 : 1 };
    };
  },
});

interface Repeated {
  group: string[];
  marker: string[];
  variables: string[];
}

function groupsFrom({ group, marker, variables }: Repeated): [ProbedGroup, ProbedGroup] {
  const groups = group.map((id, index): ProbedGroup => {
    const text = variables[index];
    const value = text === undefined ? {} : anyJson(text);
    if (typeof value !== "object" || value === null) throw new StartError("--variables must be a JSON object.");
    return { id, marker: marker[index] ?? "", variables: text === undefined ? undefined : value };
  });
  const [a, b] = groups;
  if (!a?.marker || !b?.marker || [group, marker].some(({ length }) => length !== 2) || variables.length % 2 === 1) {
    throw new StartError("Give --group and --marker twice: A's, then B's. Give --variables twice or not at all.");
  }
  if (a.id === b.id || a.marker === b.marker) throw new StartError("A and B must differ, and so must their markers.");
  return [a, b];
}

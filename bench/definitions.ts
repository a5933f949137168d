import { writeFile } from "node:fs/promises";
import path from "node:path";
import { PRESETS } from "@/lib/db/scopes";
import { insertApiToken } from "../e2e/fixtures/api-token";
import { compare } from "./compare";
import { type Contender, contend, type Tool } from "./load";
import { circumstances, print, printGoals, printResult, writeResults } from "./report";
import { onStage } from "./stage";

const GROUPS = 10_000;
/** The minimum ratio of PUT with definitions to PUT without. */
const LEAST = 0.9;

/** Definitions of 100 properties, and values for them. */
const KINDS = [
  { defined: { type: "string", required: true, enum: ["free", "pro", "enterprise"] }, value: "pro" },
  { defined: { type: "integer", required: true }, value: 42 },
  { defined: { type: "boolean" }, value: true },
  { defined: { type: "date", default: "2026-01-01" }, value: "2026-11-26" },
  { defined: { type: "string[]" }, value: ["eu", "us"] },
];
const NAMED = Array.from({ length: 100 }, (_, n) => [`property_${n}`, KINDS[n % KINDS.length]] as const);
const DEFINED = Object.fromEntries(NAMED.map(([name, kind]) => [name, kind?.defined]));
const PROPERTIES = Object.fromEntries(NAMED.map(([name, kind]) => [name, kind?.value]));

interface DefinitionsOptions {
  tool: Tool;
  rounds: number;
  seconds: number;
  suffix: string;
}

/** Compares PUT of 100 properties in turn, with enforced definitions of them and without. */
export async function measureDefinitions({ tool, rounds, seconds, suffix }: DefinitionsOptions) {
  await onStage({ groups: GROUPS, print }, async ({ ours, database, settings, folder }) => {
    const token = await insertApiToken(settings, { scopes: PRESETS.full });
    const { rows } = await database.query<{ id: string }>("SELECT provided_id AS id FROM user_group");
    const groups = path.join(folder, "defined");
    const bodies = rows.map(({ id }) => JSON.stringify({ user_group_id: id, properties: PROPERTIES }));
    await writeFile(groups, `${bodies.join("\n")}\n`);
    const load = contend({ ...ours, groups }, tool);
    const withDefinitions = (name: string, enforcement: "off" | "enforce"): Contender => ({
      name,
      async run(shot) {
        const response = await fetch(`${ours.url}/api/definitions`, {
          method: "PUT",
          headers: { "content-type": "application/json", authorization: `Token ${token}` },
          body: JSON.stringify({ properties: DEFINED, enforcement }),
        });
        if (response.status !== 200) throw new Error(await response.text());
        return load.run(shot);
      },
    });
    const contenders = [withDefinitions("ours", "enforce"), withDefinitions("off", "off")];
    const one = {
      what: "PUT with definitions of 100 properties",
      kind: "named",
      connections: 32,
      goal: LEAST,
    } as const;
    const result = await compare(contenders, one, { rounds, seconds });
    printResult(result);
    const { low: value, high } = result.requests.off?.interval ?? { low: Number.NaN, high: Number.NaN };
    print(`  95 % interval of the median ratio: ${value.toFixed(2)}–${high.toFixed(2)}`);
    const errors = result.contenders.ours?.errors ?? Number.NaN;
    const goals = [
      { what: "requests, with / without definitions, lower end", value, goal: LEAST, bound: "at least" } as const,
      { what: "errors", value: errors, goal: 0, bound: "at most" } as const,
    ];
    printGoals(goals);
    const about = circumstances();
    writeResults(`${about.date}-definitions${suffix}`, {
      ...about,
      tool,
      groups: GROUPS,
      rounds,
      seconds,
      result,
      goals,
    });
  });
}

import { text as readText } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { httpUrl, parseApiToken, runCommand } from "@/lib/cli/command";
import { examine } from "@/lib/doctor/examine";
import { report } from "@/lib/doctor/finding";
import { StartError } from "@/lib/errors";

const USAGE = `Usage:
  DOCTOR_TOKEN=… ./user-groups doctor https://groups.example.com [--json]
  ./user-groups doctor https://groups.example.com --token-stdin [--json] < file
Checks a deployment from outside, and prints each problem with its fix. It changes nothing.
The token is an API token; read-only is enough. Without one, it cannot check how requests arrive.
Exits with 1 if something is wrong.`;

await runCommand({
  usage: USAGE,
  isApart: true,
  parse() {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: "boolean", default: false }, "token-stdin": { type: "boolean", default: false } },
    });
    const [address = "", ...rest] = positionals;
    if (rest.length > 0) throw new StartError(`Unexpected argument "${rest[0]}".`);
    const base = httpUrl(address, "the deployment's URL");
    return async () => {
      const findings = await examine(base, await readToken(values["token-stdin"]));
      const failed = findings.some(({ state }) => state === "wrong");
      const told = { address: base.href, good: !failed, findings };
      return { text: values.json ? `${JSON.stringify(told, null, 2)}\n` : report(findings), code: failed ? 1 : 0 };
    };
  },
});

/** A secret is never an argument, which every user of the machine can read. */
async function readToken(fromStdin: boolean): Promise<string | undefined> {
  return parseApiToken(fromStdin ? await readText(process.stdin) : (process.env.DOCTOR_TOKEN ?? "")) || undefined;
}

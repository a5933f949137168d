import { text as readText } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { runCommand } from "@/lib/cli/command";
import { examine } from "@/lib/doctor/examine";
import { report } from "@/lib/doctor/finding";
import { StartError } from "@/lib/errors";

const USAGE = `Usage:
  DOCTOR_TOKEN=… npm run -s doctor -- https://groups.example.com [--json]
  npm run -s doctor -- https://groups.example.com --token-stdin [--json] < file
Examines a deployment from outside and says what is wrong with it and what to do. It changes nothing there.
The token is an API token; read-only will do. Without one, what callers send cannot be followed.
Ends with 1 when something is wrong.`;

await runCommand({
  usage: USAGE,
  isApart: true,
  parse() {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        "token-stdin": { type: "boolean", default: false },
      },
    });
    const [address = "", ...rest] = positionals;
    if (rest.length > 0) throw new StartError(`What is "${rest[0]}" for?`);
    const base = URL.canParse(address) ? new URL(address) : undefined;
    if (!base || !/^https?:$/.test(base.protocol)) {
      throw new StartError(
        "Give the whole address of the deployment, as https://groups.example.com or http://localhost:3000",
      );
    }
    if (base.username || base.password) throw new StartError("Leave user name and password out of the address.");
    return async () => {
      const findings = await examine(base, await readToken(values["token-stdin"]));
      const failed = findings.some(({ state }) => state === "wrong");
      const told = { address: base.href, good: !failed, findings };
      return { text: values.json ? `${JSON.stringify(told, null, 2)}\n` : report(findings), code: failed ? 1 : 0 };
    };
  },
});

/** It is a secret, so it is no argument, which every user of the machine can read. */
async function readToken(fromStdin: boolean): Promise<string | undefined> {
  const token = (fromStdin ? await readText(process.stdin) : (process.env.DOCTOR_TOKEN ?? "")).trim();
  if (!/^[\x21-\x7e]*$/.test(token))
    throw new StartError("The token holds what no token does: give it alone, on one line.");
  return token || undefined;
}

import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";

const VERSION = "18.20.8";

test("N1: an old Node is told which one is needed, and nothing else happens", async ({ folder }) => {
  const folderOf = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const installed = await run("npm", ["install", "--no-save", "--prefix", folder, `${folderOf}@${VERSION}`]);
  const node = path.join(folder, "node_modules", folderOf, "bin/node");
  test.skip(installed.code !== 0 || !existsSync(node), `npm has no Node ${VERSION} for this machine`);
  for (const args of [["run.mjs", "server"], ["run.mjs", "doctor"], ["run.mjs", "build"], ["e2e/all.mjs"]]) {
    const { code, stdout, stderr } = await run(node, args);
    expect({ code, stdout, stderr }, args.join(" ")).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: expect.stringMatching(
        /^This needs Node 20\.19 or newer, and runs on Node 18\.20\.8\. Install one from .*\n$/,
      ),
    });
  }
});

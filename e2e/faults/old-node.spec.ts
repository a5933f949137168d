import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "../fixtures/own-service";
import { run } from "../fixtures/run";

const VERSION = "18.20.8";

test("an old Node stops with the required version, and nothing else happens", async ({ folder }) => {
  const folderOf = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const installed = await run("npm", ["install", "--no-save", "--prefix", folder, `${folderOf}@${VERSION}`]);
  const node = path.join(folder, "node_modules", folderOf, "bin/node");
  test.skip(installed.code !== 0 || !existsSync(node), `npm has no Node ${VERSION} for this machine`);
  const env = { PATH: `${path.dirname(node)}:${process.env.PATH}` };
  for (const line of ["./user-groups start", "./user-groups --help", "npm run -s build", "npm test -s"]) {
    const { code, stdout, stderr } = await run("sh", ["-c", line], { env });
    expect({ code, stdout, stderr }, line).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^This needs Node 20\.19 or newer, and runs on Node 18\.20\.8\. Install one from .*\n$/,
      ),
    });
  }
});

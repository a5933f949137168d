import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

// The documented blocks that change files; e2e/faults/upgrade-from-release.spec.ts has the steps of an upgrade.

const DOCUMENTS = ["docs/upgrade.md", "docs/scaling.md"].map((name) => readFileSync(name, "utf8")).join("\n");
const BLOCKS = [...DOCUMENTS.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block);
const ANALYZER = "/usr/bin/systemd-analyze";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "user-groups-upgrade-"));
  for (const name of ["systemctl", "nginx", "sleep"]) {
    writeFileSync(path.join(folder, name), "#!/bin/sh\n");
    chmodSync(path.join(folder, name), 0o755);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the block that contains a text, with these files in the places it names, then a command. */
function paste(text: string, places: Record<string, string>, then = "") {
  const block = BLOCKS.find((one) => one?.includes(text)) ?? "";
  const adapted = Object.entries(places).reduce((done, [place, here]) => done.replaceAll(place, here), block + then);
  execFileSync("bash", ["-euc", adapted], { env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } });
}

test("the nginx configuration switches to the other instance's port, and is otherwise unchanged", () => {
  const file = path.join(folder, "user-groups.conf");
  cpSync("deploy/nginx.conf", file);
  paste("switch() {", { "/etc/nginx/conf.d/user-groups.conf": file }, "switch 3001");
  const before = readFileSync("deploy/nginx.conf", "utf8");
  expect(readFileSync(file, "utf8")).toBe(before.replace("server 127.0.0.1:3000;", "server 127.0.0.1:3001;"));
});

describe.each([
  {
    unit: "user-group-service@.service",
    what: "the second unit of an upgrade has its own port, and the release in its name",
    from: "/opt/user-group-service-1.0.0/deploy",
    changed: ["ExecStart=/usr/bin/env PORT=3001 /opt/user-group-service-%i/user-groups start"],
  },
  {
    unit: "user-groups@.service",
    what: "the units of further instances have the ports in their names",
    from: "/opt/user-group-service/deploy",
    changed: ["ExecStart=/usr/bin/env PORT=%i /opt/user-group-service/user-groups start"],
  },
])("systemd's $unit", ({ unit, what, from, changed }) => {
  beforeEach(() => paste(unit, { [from]: "deploy", "/etc/systemd/system": folder }));

  test(what, () => {
    const lines = (file: string) => readFileSync(file, "utf8").split("\n");
    const first = lines("deploy/user-group-service.service");
    expect(lines(path.join(folder, unit)).filter((line) => !first.includes(line))).toEqual(changed);
  });

  test.skipIf(!existsSync(ANALYZER))("is valid for systemd", { meta: { skipped: "needs systemd-analyze" } }, () => {
    const verify = () => execFileSync(ANALYZER, ["verify", "--man=no", path.join(folder, unit)], { stdio: "pipe" });
    expect(verify).not.toThrow();
  });
});

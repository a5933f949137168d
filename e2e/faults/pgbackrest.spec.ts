import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findAccount } from "@/lib/embedded/process";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { makePostgres } from "../fixtures/own-postgres";
import { expect, test } from "../fixtures/own-service";
import { findPostgres15 } from "../fixtures/postgres-15";

const SECRET_KEY = "c5".repeat(32);
const execute = promisify(execFile);

/** The recipe's first code block of each language. */
function recipe(language: string): string {
  const [, text = ""] = readFileSync("docs/backup.md", "utf8").split("## Your own PostgreSQL");
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? "";
}

test("the pgBackRest recipe restores to a moment: earlier changes are present, later ones absent", async ({
  start,
  folder,
}) => {
  const programs = await findPostgres15();
  test.skip(!programs || !existsSync("/usr/bin/pgbackrest"), "PostgreSQL 15 or pgbackrest is not installed");
  if (!programs) return;
  await chmod(folder, 0o711);
  const account = process.getuid?.() === 0 ? await findAccount("postgres") : undefined;
  const home = path.join(folder, "postgres");
  const file = path.join(home, "pgbackrest.conf");
  const places: [from: string, to: string][] = [
    ["/var/lib/pgbackrest", path.join(home, "repository")],
    ["/var/lib/postgresql/15/main", path.join(home, "data")],
  ];
  const settings = Object.fromEntries(
    [...recipe("conf").matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(([, name = "", value = ""]) => [
      name,
      value.replace("pgbackrest ", `pgbackrest --config=${file} `),
    ]),
  );
  expect(Object.keys(settings)).toEqual(["archive_mode", "archive_command", "archive_timeout"]);
  const postgres = await makePostgres(home, { programs, settings: { ...settings, unix_socket_directories: home } });
  // Only paths that Debian changes.
  const more = `pg1-port=${postgres.port}\npg1-socket-path=${home}\npg1-user=postgres\n`;
  const logs = `[global]\nlog-path=${home}\nlock-path=${home}/lock\n`;
  const own = places.reduce((text, [from, to]) => text.replaceAll(from, to), recipe("ini"));
  expect(own).toContain(home);
  await mkdir(path.join(home, "repository"));
  await writeFile(file, `${own.replace("[global]\n", logs)}${more}`);
  if (account) await execute("chown", ["-R", `${account.uid}:${account.gid}`, path.join(home, "repository"), file]);
  /** Runs the recipe's commands with this prefix. */
  const carryOut = async (begin: RegExp, at = "") => {
    const lines = recipe("sh")
      .replaceAll(/ \\\n */g, " ")
      .split("\n")
      .filter((line) => begin.test(line));
    expect(lines.length, String(begin)).toBeGreaterThan(0);
    for (const line of lines) {
      const text = line
        .replace("runuser -u postgres -- pgbackrest", `pgbackrest --config=${file}`)
        .replace(/--target="[^"]+"/, `--target="${at}"`);
      await execute("sh", ["-c", text], { ...account, cwd: "/" });
    }
  };

  await carryOut(/stanza-create|check$|backup$/);
  const configuration = { DATABASE_URL: postgres.url, SECRET_KEY };
  const service = await start(configuration);
  const token = await insertApiToken(configuration);
  const client = clientOf(service.url, token);
  const { json } = await client.get("before");
  await sleep(100);
  const at = new Date().toISOString().replace("T", " ").replace("Z", "+00");
  await sleep(100);
  expect((await client.rotate(json.user_group.token)).status).toBe(200);
  expect((await client.get("after")).json.new_user_group).toBe(true);
  await service.stop();
  await postgres.stop();
  await carryOut(/ restore$/, at);
  await postgres.start();

  const restored = await start(configuration);
  const again = clientOf(restored.url, token);
  const before = await again.get("before");
  expect(before.json).toMatchObject({ new_user_group: false, user_group: { token: json.user_group.token } });
  expect((await again.get("after")).json.new_user_group).toBe(true);
  await restored.stop();
  await postgres.stop();
});

import { fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { finished } from "node:stream/promises";
import pg from "pg";
import { setKeys } from "@/lib/crypto/keyring";
import { attachEmbedded } from "@/lib/db/embedded";
import { openToken } from "@/lib/groups/token";
import { command, createApiToken } from "../e2e/fixtures/run";
import { startService } from "../e2e/fixtures/service-process";
import type { Contender } from "./load";

const SECRET_KEY = "0123456789abcdef".repeat(4);
const PAGE = 10_000;

type Work = (contenders: [ours: Contender, bare: Contender]) => Promise<void>;

/** Does the work with a database of its own, which has this many groups, and what serves them; all of it goes afterwards. */
export async function onStage(groups: number, log: (line: string) => void, work: Work) {
  const ends: (() => unknown)[] = [];
  try {
    const folder = mkdtempSync(path.join(tmpdir(), "user-groups-bench-"));
    ends.push(() => rmSync(folder, { recursive: true }));
    const postgres = await attachEmbedded(folder);
    ends.push(() => postgres.release());
    const settings = { DATABASE_URL: postgres.url, SECRET_KEY };
    const { code, stdout, stderr } = await command(["seed", "--groups", String(groups)], settings);
    if (code !== 0) throw new Error(stderr);
    log(stdout.trim());
    const files = await prepare(postgres.url, folder);
    const token = await createApiToken(settings);
    const service = await startService(settings, { patience: 180_000 });
    ends.push(() => service.stop());
    const bare = fork(path.join(import.meta.dirname, "bare.ts"), {
      execArgv: ["--import", "tsx"],
      env: { ...process.env, DATABASE_URL: postgres.url },
    });
    ends.push(() => bare.kill());
    const [{ port }] = await once(bare, "message");
    await work([
      {
        name: "ours",
        url: `${service.url}/api/user`,
        pid: service.pid,
        methods: ["GET", "GET", "PUT", "POST"],
        headers: [`Authorization: Token ${token}`],
        groups: files.groups,
        rotations: files.rotations,
      },
      {
        name: "bare",
        url: `http://127.0.0.1:${port}/`,
        pid: bare.pid ?? 0,
        methods: ["GET", "PATCH", "PUT", "POST"],
        headers: [],
        groups: files.groups,
        rotations: files.groups,
      },
    ]);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** Gives the bare server its table, and writes the bodies that are sent. */
async function prepare(url: string, folder: string) {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query("CREATE TABLE bare_group (LIKE user_group INCLUDING ALL)");
  await database.query("INSERT INTO bare_group SELECT * FROM user_group");
  await database.query("VACUUM (ANALYZE) bare_group");
  const files = await writeBodies(database, folder);
  await database.end();
  return files;
}

/** Writes a body a line for each group: one that names it by its id, one that rotates its token. */
async function writeBodies(database: pg.Client, folder: string) {
  setKeys(Buffer.from(SECRET_KEY, "hex"), undefined);
  const groups = createWriteStream(path.join(folder, "groups"));
  const rotations = createWriteStream(path.join(folder, "rotations"));
  for (let last = 0; ; ) {
    const { rows } = await database.query(
      `SELECT team_id, environment_id, provided_id, token_index, token_sealed FROM user_group
       WHERE team_id > $1 ORDER BY team_id LIMIT ${PAGE}`,
      [last],
    );
    for (const row of rows) {
      const place = { environmentId: row.environment_id, providedId: row.provided_id };
      const token = openToken({ ...place, tokenIndex: row.token_index, tokenSealed: row.token_sealed });
      groups.write(`${JSON.stringify({ user_group_id: row.provided_id })}\n`);
      rotations.write(`${JSON.stringify({ current_token: token })}\n`);
      last = row.team_id;
    }
    if (rows.length < PAGE) break;
  }
  groups.end();
  rotations.end();
  await Promise.all([finished(groups), finished(rotations)]);
  return { groups: String(groups.path), rotations: String(rotations.path) };
}

import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { newToken, openToken } from "@/lib/crypto/group-token";
import { setKeys } from "@/lib/crypto/keyring";

const PAGE = 10_000;
/** More than one shot of load sends. */
const MAX_ROTATIONS = 100_000;

const STRANGERS = 10_000;

/** Of more groups, every second, third … has a body. */
const MAX_BODIES = 1_000_000;

/**
 * Files with one body per line: for each group, or evenly spread ones, one with its id, and one that asks for its
 * token's group; one that rotates its token, for as many groups as a shot needs; and some that ask for tokens of no
 * group.
 */
export interface Bodies {
  groups: string;
  viewers: string;
  rotations: string;
  strangers: string;
}

/** Writes the bodies into the folder. */
export async function writeBodies(database: pg.Client, folder: string, secretKey: string): Promise<Bodies> {
  setKeys(Buffer.from(secretKey, "hex"), undefined);
  const groups = createWriteStream(path.join(folder, "groups"));
  const viewers = createWriteStream(path.join(folder, "viewers"));
  const { rows: counted } = await database.query<{ groups: number }>("SELECT max(team_id) AS groups FROM user_group");
  const step = Math.ceil((counted[0]?.groups ?? 0) / MAX_BODIES);
  for (let last = 0; ; ) {
    const rows = await readGroups(database, { after: last, most: PAGE, step });
    for (const { id, token } of rows) {
      groups.write(`${JSON.stringify({ user_group_id: id })}\n`);
      viewers.write(`${JSON.stringify({ token })}\n`);
    }
    last = rows.at(-1)?.number ?? last;
    if (rows.length < PAGE) break;
  }
  for (const file of [groups, viewers]) file.end();
  await Promise.all([finished(groups), finished(viewers)]);
  const rotations = path.join(folder, "rotations");
  await writeRotations(database, rotations);
  const strangers = path.join(folder, "strangers");
  const unknown = Array.from({ length: STRANGERS }, () => `${JSON.stringify({ token: newToken() })}\n`);
  await writeFile(strangers, unknown.join(""));
  return { groups: String(groups.path), viewers: String(viewers.path), rotations, strangers };
}

/** Writes the bodies that rotate the current tokens. */
export async function writeRotations(database: pg.Client, file: string) {
  const rows = await readGroups(database, { after: 0, most: MAX_ROTATIONS, step: 1 });
  await writeFile(file, rows.map(({ token }) => `${JSON.stringify({ current_token: token })}\n`).join(""));
}

/** Every `step`-th group after a number. */
async function readGroups(database: pg.Client, { after, most, step }: { after: number; most: number; step: number }) {
  const { rows } = await database.query(
    `SELECT team_id, environment_id, provided_id, token_index, token_sealed FROM user_group
     WHERE team_id > $1 AND team_id % $3 = 0 ORDER BY team_id LIMIT $2`,
    [after, most, step],
  );
  return rows.map(({ team_id, environment_id, provided_id, token_index, token_sealed }) => {
    const place = { environmentId: environment_id, providedId: provided_id };
    const token = openToken({ ...place, tokenIndex: token_index, tokenSealed: token_sealed });
    return { number: Number(team_id), id: String(provided_id), token };
  });
}

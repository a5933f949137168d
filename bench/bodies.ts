import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { newToken, openToken } from "@/lib/crypto/group-token";
import { setKeys } from "@/lib/crypto/keyring";

const PAGE = 10_000;
/** More than a single shot of load sends. */
const MAX_ROTATIONS = 100_000;

const STRANGERS = 10_000;

/**
 * Files with one body per line: `groups` with each group's id; `viewers` that look up each group's token; `rotations`
 * that rotate the tokens of as many groups as a shot needs; and `strangers` that look up tokens of no group.
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
  for (let last = 0; ; ) {
    const rows = await readGroups(database, { after: last, most: PAGE });
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
  const rows = await readGroups(database, { after: 0, most: MAX_ROTATIONS });
  await writeFile(file, rows.map(({ token }) => `${JSON.stringify({ current_token: token })}\n`).join(""));
}

/** The groups after a number. */
async function readGroups(database: pg.Client, { after, most }: { after: number; most: number }) {
  const { rows } = await database.query(
    `SELECT team_id, environment_id, provided_id, token_index, token_sealed FROM user_group
     WHERE team_id > $1 ORDER BY team_id LIMIT $2`,
    [after, most],
  );
  return rows.map(({ team_id, environment_id, provided_id, token_index, token_sealed }) => {
    const place = { environmentId: environment_id, providedId: provided_id };
    const token = openToken({ ...place, tokenIndex: token_index, tokenSealed: token_sealed });
    return { number: Number(team_id), id: String(provided_id), token };
  });
}

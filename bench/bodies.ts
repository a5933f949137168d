import { createWriteStream } from "node:fs";
import path from "node:path";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { setKeys } from "@/lib/crypto/keyring";
import { openToken } from "@/lib/groups/token";

const PAGE = 10_000;

/** Files with a body a line for each group: one that names it by its id, one that rotates its token, one that asks whose it is. */
export interface Bodies {
  groups: string;
  rotations: string;
  viewers: string;
}

/** Writes the bodies of all groups into the folder. */
export async function writeBodies(database: pg.Client, folder: string, secretKey: string): Promise<Bodies> {
  setKeys(Buffer.from(secretKey, "hex"), undefined);
  const groups = createWriteStream(path.join(folder, "groups"));
  const rotations = createWriteStream(path.join(folder, "rotations"));
  const viewers = createWriteStream(path.join(folder, "viewers"));
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
      viewers.write(`${JSON.stringify({ token })}\n`);
      last = row.team_id;
    }
    if (rows.length < PAGE) break;
  }
  const all = [groups, rotations, viewers];
  for (const file of all) file.end();
  await Promise.all(all.map((file) => finished(file)));
  return { groups: String(groups.path), rotations: String(rotations.path), viewers: String(viewers.path) };
}

import { randomBytes } from "node:crypto";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { browserOf, totp } from "../fixtures/cookie-client";
import { expect, OWNER, OWNER_SETTINGS, query, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";

const newKey = () => randomBytes(32).toString("base64");

test("a key change keeps the second factor, its backup codes and a group about to be purged", async ({
  start,
  createDatabase,
}) => {
  const DATABASE_URL = await createDatabase();
  const [oldKey, key] = [newKey(), newKey()];
  const before = await start({ DATABASE_URL, SECRET_KEY: oldKey, ...OWNER_SETTINGS });
  const browser = browserOf(before.url);
  await browser.signIn(OWNER);
  const begun = await browser.post("/api/auth/two-factor/enable", { password: OWNER.password });
  const { totpURI: uri, backupCodes } = begun.json;
  await browser.post("/api/auth/two-factor/verify-totp", { code: totp(uri) });

  // A recently deleted group, which is stored in another table.
  const token = await insertApiToken({ DATABASE_URL, SECRET_KEY: oldKey });
  const { json: made } = await clientOf(before.url, token).get("gone");
  const columns = `team_id, environment_id, provided_id, name, mapping, properties, token_index, token_sealed, version,
    created_at, updated_at, rotated_at`;
  const move = (from: string, to: string) =>
    query(
      DATABASE_URL,
      `WITH moved AS (DELETE FROM ${from} RETURNING ${columns}) INSERT INTO ${to} (${columns}) SELECT ${columns} FROM moved`,
    );
  await move("user_group", "deleted_group");
  await before.stop();

  const both = { DATABASE_URL, SECRET_KEY: key, PREVIOUS_SECRET_KEY: oldKey };
  const between = await start(both);
  const halfWay = browserOf(between.url);
  expect((await halfWay.signIn(OWNER)).json).toMatchObject({ twoFactorRedirect: true });
  expect((await halfWay.post("/api/auth/two-factor/verify-totp", { code: totp(uri) })).status).toBe(200);
  const rekeyed = await command(["rekey"], both);
  expect(rekeyed).toMatchObject({ code: 0, stderr: "" });
  expect(rekeyed.stdout).toMatch(/ 1 second factors, .* 1 tokens of recently deleted groups\./);
  const repeated = await command(["rekey"], both);
  expect(repeated.stdout).toMatch(/ 0 second factors, .* 0 tokens of recently deleted groups\./);
  await between.stop();

  const after = await start({ DATABASE_URL, SECRET_KEY: key });
  for (const [path, code] of [
    // The code of this half minute may have been used above.
    ["verify-totp", totp(uri, 1)],
    ["verify-backup-code", backupCodes[0]],
  ] as const) {
    const again = browserOf(after.url);
    expect((await again.signIn(OWNER)).json).toMatchObject({ twoFactorRedirect: true });
    const verified = await again.post(`/api/auth/two-factor/${path}`, { code });
    expect(verified.status, verified.text).toBe(200);
    expect((await again.get("/api/admin/account")).status).toBe(200);
  }
  await move("deleted_group", "user_group");
  expect((await clientOf(after.url, token).get("gone")).json).toEqual({ ...made, new_user_group: false });
});

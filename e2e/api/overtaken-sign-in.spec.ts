import { expect, test } from "../fixtures/api";
import { type Browser, browserOf } from "../fixtures/cookie-client";
import { createMember } from "../fixtures/member";

const isIn = async (browser: Browser) => (await browser.get("/api/admin/account")).status === 200;

test("a sign-in overtaken by a new password on another instance opens no session", {
  tag: "@release",
}, async ({ stage, database }) => {
  const member = await createMember(database, "admin");
  const own = browserOf(stage.urls[0]);
  await own.signIn(member);
  let { password } = member;
  for (let round = 0; round < 4; round++) {
    const next = `another good passphrase ${round}`;
    const others: Browser[] = [];
    let isOver = false;
    const trying = (async () => {
      while (!isOver) {
        const other = browserOf(stage.urls[1]);
        if ((await other.signIn({ ...member, password })).status === 200) others.push(other);
      }
    })();
    await expect.poll(() => others.length).toBeGreaterThan(0);
    const changed = await own.post("/api/auth/change-password", { currentPassword: password, newPassword: next });
    expect(changed.status, changed.text).toBe(200);
    isOver = true;
    await trying;
    expect((await Promise.all(others.map(isIn))).filter(Boolean)).toEqual([]);
    password = next;
  }
  expect(await isIn(own)).toBe(true);
});

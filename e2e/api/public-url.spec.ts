import { request } from "undici";
import { readJson } from "../fixtures/api";
import { createMember } from "../fixtures/member";
import { expect, OWNER, OWNER_SETTINGS, query, test } from "../fixtures/own-service";

const SECRET_KEY = "ef".repeat(32);

test("without PUBLIC_URL, remote callers get no link, and Host is not trusted", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const settings = { SECRET_KEY, ...OWNER_SETTINGS };
  for (const [what, HOST, host, PUBLIC_URL, link] of [
    ["this machine", "", undefined, "", /^http:\/\/localhost:\d+\/welcome#ugl_/],
    ["another Host", "", "evil.example", "", undefined],
    ["all addresses", "0.0.0.0", undefined, "", undefined],
    ["PUBLIC_URL", "0.0.0.0", undefined, "https://groups.example.com", /^https:\/\/groups\.example\.com\/welcome#ugl_/],
  ] as const) {
    const DATABASE_URL = await createDatabase();
    const service = await start({ ...settings, DATABASE_URL, HOST, PUBLIC_URL });
    const named = { host: host ?? new URL(service.url).host };
    const origin = PUBLIC_URL || `http://${named.host}`;
    const send = async (path: string, body: object, headers: object) => {
      const all = { ...named, origin, "content-type": "application/json", "x-environment": "testing", ...headers };
      const answer = await request(service.url + path, { method: "POST", headers: all, body: JSON.stringify(body) });
      return { status: answer.statusCode, headers: answer.headers, json: readJson(await answer.body.text()) };
    };
    const signedIn = await send("/api/auth/sign-in/email", OWNER, {});
    expect(signedIn.status, what).toBe(200);
    const cookie = [signedIn.headers["set-cookie"] ?? []].flat().map((set) => set.split(";")[0]);
    const database = { query: (text: string, values?: unknown[]) => query(DATABASE_URL, text, values) };
    const { id } = await createMember(database, "viewer");
    for (const path of ["/api/admin/members/invites", `/api/admin/members/${id}/reset-password`]) {
      const body = path.endsWith("invites") ? { email: "ada@example.com", role: "viewer" } : {};
      const { status, json } = await send(path, body, { cookie: cookie.join("; ") });
      if (link) {
        expect([status, json.link], what).toEqual([200, expect.stringMatching(link)]);
        continue;
      }
      expect([status, json.error.code], what).toEqual([409, "conflict"]);
      expect(json.error.message).toContain("PUBLIC_URL");
      expect(await query(DATABASE_URL, "SELECT FROM one_time_link WHERE purpose <> 'setup'")).toEqual([]);
    }
    await service.stop();
  }
});

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { adminClient, adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { call, expect, expectError, newId, type Response, test } from "../fixtures/api";

const PAGES = [
  "/",
  "/sign-in",
  "/welcome",
  "/docs",
  "/testing/groups",
  "/testing/groups/new",
  "/testing/groups/1",
  "/testing/activity",
  "/nowhere/groups",
  "/no.such.page",
  "/testing/no-such-page",
  "/_next/no-such-page",
];
const CHUNKS = ".next/static";

const get = (path: string, headers: Record<string, string> = {}) => call("GET", path, { token: null, headers });

/** The directives of a policy. */
function directives(response: Response): Record<string, string> {
  const policy = String(response.headers["content-security-policy"]);
  return Object.fromEntries(policy.split("; ").map((directive) => directive.split(/ (.*)/s, 2)));
}

const nonceOf = (response: Response) =>
  /'nonce-([A-Za-z0-9+/=]{22,})'/.exec(directives(response)["script-src"] ?? "")?.[1];

for (const path of PAGES) {
  test(`${path} has a strict content security policy, and complies with it`, async () => {
    const [page, again] = await Promise.all([get(path), get(path)]);
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
    const nonce = nonceOf(page);
    expect(nonce).toBeTruthy();
    expect(nonceOf(again)).not.toBe(nonce);
    expect(directives(page)).toEqual({
      "default-src": "'none'",
      "script-src": `'nonce-${nonce}' 'strict-dynamic'`,
      "style-src": `'self' 'nonce-${nonce}'`,
      "img-src": "'self' data:",
      "font-src": "'self'",
      "connect-src": "'self'",
      "manifest-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'self'",
      "frame-ancestors": "'none'",
    });
    expect(page.headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    // A cached page would repeat a nonce that someone has already seen.
    expect(page.headers["cache-control"]).toMatch(/no-store|private/);
    expect(page.headers["x-powered-by"]).toBeUndefined();

    const tags = page.text.replace(/(<script\b[^>]*>).*?<\/script>/gs, "$1").match(/<[a-z][^>]*>/gi) ?? [];
    const scripts = tags.filter((tag) => /^<script/i.test(tag));
    expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    expect(tags.filter((tag) => /\s(on[a-z]+|style)=/i.test(tag))).toEqual([]);
    expect(tags.filter((tag) => /^<style/i.test(tag) && !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    expect(tags.filter((tag) => /(href|src)="(?!\/|#)/i.test(tag))).toEqual([]);
  });
}

test("pages, files and unknown paths answer other methods with 405 and Allow", async () => {
  for (const path of ["/", "/sign-in", "/testing/groups", "/icon.svg", "/robots.txt", "/_next/static/x", "/none"]) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { headers } = expectError(await call(method, path, { token: null }), 405, "method_not_allowed");
      expect(headers.allow, `${method} ${path}`).toBe("GET, HEAD");
    }
  }
});

test("a page embeds its data, for authorised members only, and never a token", async ({ database }) => {
  const admin = await adminElsewhere(database);
  const group = await makeGroup(admin, newId(), { name: "Alpha & Omega", properties: { plan: "</script>" } });
  const viewer = await adminClient(database, "viewer", admin.environment);
  const list = `/${admin.environment}/groups`;
  for (const path of [list, `${list}?search=omega`, `${list}/${group.teamId}`]) {
    for (const { cookie } of [admin, viewer]) {
      const { text } = await call("GET", path, { token: null, headers: { cookie } });
      expect(text).toContain("Alpha &amp; Omega");
      expect(text).not.toContain(group.token);
      expect(text).not.toContain('"</script>"');
    }
    expect((await get(path)).text).not.toContain("Omega");
    const ended = { cookie: admin.cookie.replace(/=[^.]+/, "=made-up") };
    expect((await call("GET", path, { token: null, headers: ended })).text).not.toContain("Omega");
  }
});

test("a redirect to the groups of an environment leads nowhere else", async () => {
  const response = await get("/testing");
  expect(response.status).toBe(307);
  expect(response.headers.location).toBe("/testing/groups");
});

test("headers that Next cannot meet are no server errors", async () => {
  for (const path of ["/icon.svg", "/robots.txt"]) {
    for (const headers of [
      { range: "bytes=99999999-" },
      { "if-match": '"x"' },
      { "if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT" },
    ]) {
      expect((await get(path, headers)).status).toBe(200);
    }
  }
  for (const tree of ["x", "%5B", "[1]"]) {
    expect((await get("/sign-in", { rsc: "1", "next-router-state-tree": tree })).status).toBe(400);
  }
});

test("static files have nosniff, and are cached permanently", async () => {
  const files = readdirSync(CHUNKS, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(js|css|woff2)$/.test(file),
  );
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const response = await get(`/_next/static/${file.split(path.sep).map(encodeURIComponent).join("/")}`);
    expect({ file, status: response.status, headers: response.headers }).toMatchObject({
      status: 200,
      headers: {
        "x-content-type-options": "nosniff",
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": expect.stringMatching(/^(application\/javascript|text\/css|font\/woff2)/),
      },
    });
  }
});

test("no page or static file contains a secret or a local path", async ({ stage }) => {
  const database = new URL(stage.databaseUrl);
  const secrets = [
    stage.secretKey,
    stage.owner.password,
    stage.databaseUrl,
    ...Object.values(stage.tokens),
    ...[database.password, database.host].filter((part) => part.length > 4),
    process.cwd(),
    "SECRET_KEY",
    "DATABASE_URL",
    "sourceMappingURL",
  ];
  const pages = await Promise.all(PAGES.map(async (path) => ({ name: path, text: (await get(path)).text })));
  const files = readdirSync(CHUNKS, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(js|css|map|json)$/.test(file))
    .map((name) => ({ name, text: readFileSync(path.join(CHUNKS, name), "utf8") }));
  for (const { name, text } of [...pages, ...files]) {
    expect({ name, found: secrets.filter((secret) => text.includes(secret)) }).toEqual({ name, found: [] });
    expect({ name, token: /ug(?:t|a_live|a_test)_[0-9A-Za-z]{49}/.test(text) }).toEqual({ name, token: false });
  }
});

import { randomToken } from "../../lib/crypto/random-token";
import {
  call,
  createGroup,
  expect,
  expectError,
  expectNothingChanged,
  newId,
  type Response,
  test as withStage,
} from "../fixtures/api";
import { exchange, head } from "../fixtures/raw";
import { command, createApiToken } from "../fixtures/run";

interface Tokens {
  testing: string;
  production: string;
  revoked: string;
  expired: string;
  group: string;
}

/** `test` with formerly valid tokens, and invalid ones. */
const test = withStage.extend<object, { tokens: Tokens }>({
  tokens: [
    async ({ stage, database }, use) => {
      const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
      const names = { revoked: newId("revoked"), expired: newId("expired") };
      const revoked = await createApiToken(settings, "--name", names.revoked);
      const expired = await createApiToken(settings, "--name", names.expired, "--expires", "1h");
      for (const token of [revoked, expired])
        expect((await call("GET", "/api/user", { token, body: { user_group_id: newId() } })).status).toBe(200);
      const [row] = await database.query("SELECT id FROM api_token WHERE name = $1", [names.revoked]);
      expect(await command(["api-token", "revoke", String(row.id)], settings)).toMatchObject({ code: 0 });
      await database.query("UPDATE api_token SET expires_at = now() - interval '1 second' WHERE name = $1", [
        names.expired,
      ]);
      const { token: group } = await createGroup();
      await use({ ...stage.tokens, revoked, expired, group });
    },
    { scope: "worker" },
  ],
});

const otherLast = (text: string) => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");
const body = (token: string) => token.split("_").at(-1);

/** The Authorization headers of requests to refuse. */
const refused: Record<string, (tokens: Tokens) => string[]> = {
  missing: () => [],
  empty: () => ["Authorization:"],
  "Token alone": () => ["Authorization: Token"],
  "Token and a space": () => ["Authorization: Token "],
  "the token alone": ({ testing }) => [`Authorization: ${testing}`],
  "Bearer with the token": ({ testing }) => [`Authorization: Bearer ${testing}`],
  "Basic with the token": ({ testing }) => [`Authorization: Basic ${Buffer.from(`${testing}:`).toString("base64")}`],
  "Tokens as the scheme": ({ testing }) => [`Authorization: Tokens ${testing}`],
  "no space after the scheme": ({ testing }) => [`Authorization: Token${testing}`],
  "a tab after the scheme": ({ testing }) => [`Authorization: Token\t${testing}`],
  "two headers, both good": ({ testing }) => Array(2).fill(`Authorization: Token ${testing}`),
  "two headers, the first good": ({ testing }) => [`Authorization: Token ${testing}`, "Authorization: Token x"],
  "two headers, the second good": ({ testing }) => ["Authorization: Bearer x", `Authorization: Token ${testing}`],
  "two headers, one empty": ({ testing }) => [`Authorization: Token ${testing}`, "Authorization:"],
  "two tokens with a space between": ({ testing, production }) => [`Authorization: Token ${testing} ${production}`],
  "two tokens with a comma between": ({ testing, production }) => [`Authorization: Token ${testing},${production}`],
  "the token in quotes": ({ testing }) => [`Authorization: Token "${testing}"`],
  "a byte E9": ({ testing }) => [`Authorization: Token ${testing}\u00e9`],
  "10 KB": () => [`Authorization: Token ${"a".repeat(10_000)}`],
  "10 KB that begin with a valid token": ({ testing }) => [`Authorization: Token ${testing.padEnd(10_000, "0")}`],
  "a wrong checksum": ({ testing }) => [`Authorization: Token ${otherLast(testing)}`],
  "one character short": ({ testing }) => [`Authorization: Token ${testing.slice(0, -1)}`],
  "another letter case": ({ testing }) => [`Authorization: Token ${testing.toUpperCase()}`],
  "a well-formed unknown token": () => [`Authorization: Token ${randomToken("uga_test_")}`],
  "a revoked token": ({ revoked }) => [`Authorization: Token ${revoked}`],
  "an expired token": ({ expired }) => [`Authorization: Token ${expired}`],
  "the token under another environment's prefix": ({ testing }) => [`Authorization: Token uga_live_${body(testing)}`],
  "another environment's token under this one's prefix": ({ production }) => [
    `Authorization: Token uga_test_${body(production)}`,
  ],
  "a user group token in its place": ({ group }) => [`Authorization: Token ${group}`],
  "the token in another header": ({ testing }) => [`X-Api-Key: ${testing}`, `Proxy-Authorization: Token ${testing}`],
  "a cookie without X-Environment": ({ testing }) => [`Cookie: session=${testing}; token=${testing}`],
  "a cookie without a session": () => ["Cookie: session=x; __Host-session=x", "X-Environment: testing"],
};

const send = (lines: string[], json: object | string, method = "GET") => {
  const text = typeof json === "string" ? json : JSON.stringify(json);
  const usual = ["Host: localhost", "Content-Type: application/json", `Content-Length: ${text.length}`];
  return exchange(head(method, [...usual, ...lines]), text);
};

/** The parts of a refusal that a stranger could learn from: everything but its id and time. */
function telling({ status, headers, text }: Response) {
  const { date: _, "x-request-id": id, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(String(id), "…") };
}

for (const [title, lines] of Object.entries(refused)) {
  test(`${title}: the same 401`, async ({ tokens, database }) => {
    const { provided_id, token } = await createGroup();
    await expectNothingChanged(database, provided_id, async () => {
      const answers = [
        await send(lines(tokens), { user_group_id: `${provided_id}-new` }),
        await send(lines(tokens), { user_group_id: provided_id }),
        await send(lines(tokens), { user_group_id: provided_id, name: "changed" }, "PUT"),
        await send(lines(tokens), { current_token: token }, "POST"),
        await send(lines(tokens), "{"),
        await send(lines(tokens), { isAdmin: true }),
      ];
      const plain = telling(await send([], { user_group_id: provided_id }));
      expect(plain).toMatchObject({ headers: { "www-authenticate": "Token" } });
      for (const answer of answers) {
        expectError(answer, 401, "unauthorized");
        expect(telling(answer)).toEqual(plain);
      }
    });
  });
}

test.describe("an API token of another environment", () => {
  test("acts only in its own, whatever X-Environment says", async ({ stage, database }) => {
    const { provided_id, token: groupToken } = await createGroup();
    const options = { token: stage.tokens.production, headers: { "x-environment": "testing" } };
    await expectNothingChanged(database, provided_id, async () => {
      const update = { ...options, body: { user_group_id: provided_id, name: "changed" } };
      expectError(await call("PUT", "/api/user", update), 404, "unknown_user_group");
      const rotation = { ...options, body: { current_token: groupToken } };
      expectError(await call("POST", "/api/user", rotation), 404, "unknown_token");
    });
  });
});

for (const scheme of ["token ", "TOKEN  ", "tOkEn     ", "Token "]) {
  test(`"${scheme}" before the API token is accepted`, async ({ tokens }) => {
    const { status } = await send([`Authorization: ${scheme}${tokens.testing}`], { user_group_id: newId() });
    expect(status).toBe(200);
  });
}

test.describe("a cross-site request or prefetch by a browser: 403", () => {
  for (const [title, headers] of Object.entries({
    "Origin of another site": { origin: "https://evil.example" },
    "Origin null": { origin: "null" },
    "Origin of another port": { origin: "http://localhost:1" },
    "Sec-Fetch-Site: cross-site": { "sec-fetch-site": "cross-site" },
    "Sec-Fetch-Site: same-site": { "sec-fetch-site": "same-site" },
    "Sec-Purpose: prefetch": { "sec-purpose": "prefetch" },
    "Sec-Purpose: prefetch;prerender": { "sec-purpose": "prefetch;prerender", "sec-fetch-site": "none" },
    "Purpose: prefetch": { purpose: "prefetch" },
  })) {
    test(title, async ({ database }) => {
      const { provided_id, token } = await createGroup();
      await expectNothingChanged(database, provided_id, async () => {
        for (const [method, path, json] of [
          ["GET", "/api/user", { user_group_id: `${provided_id}-new` }],
          ["GET", `/api/user?user_group_id=${provided_id}-new`, undefined],
          ["POST", "/api/user/get-or-create", { user_group_id: `${provided_id}-new` }],
          ["PUT", "/api/user", { user_group_id: provided_id, name: "changed" }],
          ["POST", "/api/user", { current_token: token }],
        ] as const) {
          const answer = await call(method, path, { headers, body: json });
          expectError(answer, 403, "forbidden");
          expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
        }
      });
    });
  }

  test("from the same site is served", async ({ stage }) => {
    for (const headers of [
      { origin: stage.urls[0] },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ]) {
      const { status } = await call("GET", "/api/user", { headers, body: { user_group_id: newId() } });
      expect(status).toBe(200);
    }
  });
});

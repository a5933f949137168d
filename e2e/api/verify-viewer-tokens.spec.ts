import { setTimeout as sleep } from "node:timers/promises";
import { mergeTests } from "@playwright/test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import jwt from "jsonwebtoken";
import jwkToPem from "jwk-to-pem";
import { PRESETS } from "@/lib/authority/scopes";
import { TEMPLATE_PRESETS } from "@/lib/viewer-tokens/presets";
import { createEnvironment } from "../fixtures/admin-client";
import { call, createGroup, expect } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { keyOf, resigned, withHeader } from "../fixtures/forge";
import { forgeries, respellings, wrongClaims } from "../fixtures/forgeries";
import { startHostile } from "../fixtures/hostile";
import { withClient } from "../fixtures/typescript-client";
import { partOf, test as placed, type ViewerPlace } from "../fixtures/viewer-place";

type Verify = (token: string) => Promise<unknown>;

interface Fixtures {
  /** the client's verifier, and equivalents with jose and jsonwebtoken */
  verifiers: Record<"client" | "jose" | "jsonwebtoken", Verify>;
  /** the lowest generations from the revocations, shared by all */
  lowest: Map<number, number>;
  hostile: Awaited<ReturnType<typeof startHostile>>;
}

const test = mergeTests(placed, withClient).extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
  lowest: async ({}, use) => use(new Map()),
  // biome-ignore lint/correctness/noEmptyPattern: as above
  hostile: async ({}, use) => {
    const hostile = await startHostile();
    await use(hostile);
    await hostile.stop();
  },
  verifiers: ({ built, place, lowest }, use) => use(verifiersOf(built, place, lowest)),
});

// One worker, which builds and installs the package once.
test.describe.configure({ mode: "default" });

function verifiersOf(
  { verify }: { verify: typeof import("@/clients/typescript/src/verify") },
  { issuer }: ViewerPlace,
  lowest: Map<number, number>,
): Fixtures["verifiers"] {
  const url = new URL(`${issuer}/.well-known/jwks.json`);
  const keys = createRemoteJWKSet(url);
  const expected = { issuer, audience: issuer, algorithms: ["ES256" as const] };
  const requireGeneration = ({ team_id, gen }: Record<string, unknown>) => {
    if (Number(gen) < (lowest.get(Number(team_id)) ?? 0)) throw new Error("revoked");
  };
  const { verify: byClient } = verify.createVerifier({ issuer, lowestGeneration: (id) => lowest.get(id) });
  return {
    client: byClient,
    async jose(token) {
      const requiredClaims = ["exp", "team_id", "gen"];
      const { payload } = await jwtVerify(token, keys, { ...expected, typ: "viewer+jwt", requiredClaims });
      requireGeneration(payload);
    },
    async jsonwebtoken(token) {
      const { header } = jwt.decode(token, { complete: true }) ?? {};
      if (header?.typ !== "viewer+jwt") throw new Error("not a viewer token");
      const set = (await (await fetch(url)).json()) as { keys: (jwkToPem.JWK & { kid: string })[] };
      const key = set.keys.find(({ kid }) => kid === header.kid);
      if (!key) throw new Error("unknown key");
      const claims = jwt.verify(token, jwkToPem(key), expected) as jwt.JwtPayload;
      if (claims.exp === undefined) throw new Error("never expires");
      requireGeneration(claims);
    },
  };
}

async function expectRefused(verifiers: Fixtures["verifiers"], what: string, token: string) {
  for (const [name, verify] of Object.entries(verifiers)) {
    const outcome = await verify(token).then(
      () => "accepted",
      () => "refused",
    );
    expect(outcome, `${what}, by ${name}`).toBe("refused");
  }
}

async function expectAccepted(verifiers: Fixtures["verifiers"], token: string) {
  for (const [name, verify] of Object.entries(verifiers)) {
    await verify(token).catch((error: unknown) => {
      throw new Error(`refused by ${name}`, { cause: error });
    });
  }
}

test("forged tokens are refused by every verifier and by the service", async ({ place, verifiers }) => {
  const group = await place.group();
  const other = await place.group();
  const token = await place.mint({ token: group.token });
  await expectAccepted(verifiers, token);
  const { keys } = (await call("GET", `/e/${place.slug}/.well-known/jwks.json`, { token: null })).json;
  for (const [what, forgery] of Object.entries(forgeries(token, { jwk: keys[0], group, other }))) {
    await expectRefused(verifiers, what, forgery);
    if (forgery === group.token) continue;
    expect((await place.ask(forgery)).json, what).toEqual({ success: 1, active: false });
  }
  expect((await place.ask(token)).json.active).toBe(true);
});

test("a viewer token has one spelling, for our verifier and for the service", async ({ place, verifiers }) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token });
  await verifiers.client(token);
  for (const [what, respelt] of Object.entries(respellings(token))) {
    await expect(verifiers.client(respelt), what).rejects.toMatchObject({ reason: "malformed" });
    expect((await place.ask(respelt)).json, what).toEqual({ success: 1, active: false });
  }
});

test("tokens with the right signature and wrong claims are refused", async ({ place, verifiers, database }) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token });
  const key = await keyOf(database, token);
  await expectAccepted(verifiers, resigned(key, token, {}));
  for (const [what, changes, ours] of wrongClaims(place.issuer)) {
    const made = resigned(key, token, changes);
    await expectRefused(verifiers, what, made);
    if (ours) expect((await place.ask(made)).json, what).toEqual({ success: 1, active: false, ...ours });
  }
  const now = Math.floor(Date.now() / 1_000);
  // Checked only by our verifiers.
  for (const changes of [{ team_id: "1" }, { gen: undefined }, { variables: 7 }, { iat: now + 1_000 }]) {
    await expect(verifiers.client(resigned(key, token, changes)), JSON.stringify(changes)).rejects.toMatchObject({
      reason: "claims",
    });
  }
  // Offline verifiers tolerate a minute of skew; online only the database's clock counts.
  const late = resigned(key, token, { iat: now - 900, exp: now - 30 });
  await verifiers.client(late);
  expect((await place.ask(late)).json.reason).toBe("expired");
});

test("tokens of another environment and of claim templates are refused", async ({
  place,
  verifiers,
  database,
  stage,
}) => {
  const templates = { cube: TEMPLATE_PRESETS.cube.template };
  await place.set({ templates });
  const group = await place.group();
  await expectAccepted(verifiers, await place.mint({ token: group.token }));
  const own = await place.mint({ token: group.token, template: "cube" });
  const ofTemplate = await keyOf(database, own);
  // Even with the header of viewer tokens.
  const header = Buffer.from(JSON.stringify({ ...JSON.parse(partOf(own, 0)), typ: "viewer+jwt" }));
  for (const one of [own, resigned({ ...ofTemplate, header: header.toString("base64url") }, own, {})]) {
    await expectRefused(verifiers, "own template", one);
    expect((await place.ask(one)).json).toEqual({ success: 1, active: false });
  }

  const slug = await createEnvironment(database);
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const elsewhere = { token: await insertApiToken(settings, { environment: slug, scopes: PRESETS.full }) };
  expect((await call("PUT", "/api/viewer-settings", { ...elsewhere, body: { templates } })).status).toBe(200);
  const theirs = await createGroup({ user_group_id: group.provided_id }, elsewhere);
  for (const template of [undefined, "cube"]) {
    const body = { token: theirs.token, audience: place.issuer, template };
    const { json } = await call("POST", "/api/viewer-tokens", { ...elsewhere, body });
    const key = await keyOf(database, json.viewer_token);
    // Even if it names this environment as its issuer.
    for (const foreign of [json.viewer_token, resigned(key, json.viewer_token, { iss: place.issuer })]) {
      await expectRefused(verifiers, `another environment's ${template ?? "token"}`, foreign);
      expect((await place.ask(foreign)).json).toEqual({ success: 1, active: false });
    }
  }
});

test("once revocations are read, lower generations and deleted groups with a reused id are refused", async ({
  place,
  verifiers,
  lowest,
  built,
  stage,
}) => {
  const [ended, deleted, kept] = await Promise.all([place.group(), place.group(), place.group()]);
  const [first, second, third] = await Promise.all([ended, deleted, kept].map(({ token }) => place.mint({ token })));
  const client = new built.module.UserGroupsClient({ baseUrl: stage.urls[0], apiToken: place.token });
  const poll = async (since?: string) => {
    const revocations = client.iterateRevocations(since);
    for (;;) {
      const { done, value } = await revocations.next();
      if (done) return value;
      if ("gen" in value) lowest.set(value.team_id, Math.max(value.gen, lowest.get(value.team_id) ?? 0));
    }
  };
  const since = await poll();
  for (const token of [first, second, third]) await expectAccepted(verifiers, token ?? "");
  expect(await client.endViews(ended.provided_id)).toEqual({ success: 1, team_id: ended.team_id, gen: 2 });
  await client.delete({ user_group_id: deleted.provided_id });
  const again = await place.group({ user_group_id: deleted.provided_id });
  expect(again.team_id).not.toBe(deleted.team_id);
  for (const token of [first, second]) expect((await place.ask(token ?? "")).json.active).toBe(false);
  await poll(since);
  await expectRefused(verifiers, "a lower generation", first ?? "");
  await expectRefused(verifiers, "a deleted group", second ?? "");
  await expect(verifiers.client(first ?? "")).rejects.toMatchObject({ reason: "revoked" });
  for (const { token } of [ended, again]) await expectAccepted(verifiers, await place.mint({ token }));
  await expectAccepted(verifiers, third ?? "");
});

test("the client's verifier refuses what was revoked of one person, and content that is not named", async ({
  place,
  built,
  stage,
}) => {
  const group = await place.group();
  const client = new built.module.UserGroupsClient({ baseUrl: stage.urls[0], apiToken: place.token });
  const mint = async (viewer: string) => (await client.mintViewerToken({ token: group.token, viewer })).viewer_token;
  const [token, other] = [await mint("u"), await mint("v")];
  const ended = await client.endViewer({ user_group_id: group.provided_id, viewer_id: "u" });
  const { team_id, viewer_key, before } = ended;
  expect((await client.revocations()).revocations).toContainEqual({ team_id, viewer_key, before });
  const { verify } = built.verify.createVerifier({
    issuer: place.issuer,
    viewerEndedBefore: (team, key) => (team === team_id && key === viewer_key ? before : undefined),
  });
  await expect(verify(token)).rejects.toMatchObject({ reason: "revoked" });
  await verify(other);
  await verify(await mint("u"));

  const [all, sales, none] = await Promise.all(
    [undefined, ["sales"], []].map((content) => place.mint({ token: group.token, content })),
  );
  const shows = (one = "", shown: Parameters<typeof verify>[1] = { content: "sales" }) =>
    verify(one, shown).then(
      () => "shown",
      ({ reason }) => reason,
    );
  expect(await Promise.all([all, sales, none].map((one) => shows(one)))).toEqual(["content", "shown", "content"]);
  expect(await shows(sales, { content: "costs" })).toBe("content");
  const unlimited = { content: "sales", allowUnlimited: true };
  expect(await Promise.all([shows(all, unlimited), shows(none, unlimited)])).toEqual(["shown", "content"]);
  expect(await shows(none, {})).toBe("shown");
});

test("the client's verifier fetches the keys once: foreign tokens cause no further request", async ({
  place,
  built,
}) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token });
  let reads = 0;
  const verifier = built.verify.createVerifier({
    issuer: place.issuer,
    fetch: (input, init) => {
      reads++;
      return fetch(input, init);
    },
  });
  await Promise.all(Array.from({ length: 100 }, () => verifier.verify(token)));
  expect(reads).toBe(1);
  for (let n = 0; n < 20; n++) {
    await expect(verifier.verify(withHeader(token, { kid: `unknown-${n}` }))).rejects.toMatchObject({
      reason: "unknown_key",
    });
  }
  expect(reads).toBe(1);
  expect(await verifier.verify(token)).toMatchObject({ sub: group.provided_id, team_id: group.team_id });
});

test("the client's verifier reads by the global fetch of the moment, which programs replace", async ({
  place,
  built,
}) => {
  const token = await place.mint({ token: (await place.group()).token });
  const { verify } = built.verify.createVerifier({ issuer: place.issuer });
  const { fetch } = globalThis;
  let reads = 0;
  globalThis.fetch = (...asked) => {
    reads++;
    return fetch(...asked);
  };
  await verify(token).finally(() => {
    globalThis.fetch = fetch;
  });
  expect(reads).toBe(1);
});

test("after a quiet time, the client's verifier fetches the keys again before it trusts a known one", {
  tag: "@release",
}, async ({ place, built }) => {
  const token = await place.mint({ token: (await place.group()).token });
  const verifier = built.verify.createVerifier({
    issuer: place.issuer,
    fetch: async (input, init) =>
      new Response((await fetch(input, init)).body, { headers: { "Cache-Control": "max-age=0" } }),
  });
  await verifier.verify(token);
  const { kid } = JSON.parse(partOf(token, 0));
  expect((await place.admin.send("POST", "/api/admin/viewer-keys/revoke", { kid })).status).toBe(200);
  await sleep(10_100);
  const verified = await Promise.allSettled(Array.from({ length: 10 }, () => verifier.verify(token)));
  expect(verified.map((one) => one.status === "rejected" && one.reason.reason)).toEqual(Array(10).fill("unknown_key"));
});

test("the client's verifier caches failures too, and does not follow redirects", async ({ place, built }) => {
  const group = await place.group();
  const token = await place.mint({ token: group.token });
  const answers: [what: string, answer: () => Promise<Response>][] = [
    ["unreachable", () => fetch("http://127.0.0.1:1/")],
    ["an error", async () => new Response("{}", { status: 503 })],
    ["no JSON", async () => new Response("<html>")],
    ["no key set", async () => new Response("{}")],
    ["too much", async () => new Response(JSON.stringify({ keys: [], more: "x".repeat(70_000) }))],
  ];
  for (const [what, answer] of answers) {
    let reads = 0;
    const verifier = built.verify.createVerifier({
      issuer: place.issuer,
      fetch: (_, init) => {
        reads++;
        expect(init?.redirect).toBe("manual");
        return answer();
      },
    });
    for (let n = 0; n < 20; n++) {
      await expect(verifier.verify(token), what).rejects.toMatchObject({ reason: "keys_unavailable" });
    }
    expect(reads, what).toBe(1);
  }
});

test("the client's verifier reads a hostile key set within bounds, with one request", { tag: "@release" }, async ({
  place,
  built,
  hostile,
}) => {
  const token = await place.mint({ token: (await place.group()).token });
  const reasons = await Promise.all(
    Object.entries(hostile.urls).map(async ([what, issuer]) => {
      const { verify } = built.verify.createVerifier({ issuer });
      const reason = () => verify(token).catch(({ reason }: { reason?: string }) => reason);
      return [what, [await reason(), await reason()]];
    }),
  );
  const refused = (what: string) => (what === "nests too deep" ? "unknown_key" : "keys_unavailable");
  const names = Object.keys(hostile.urls);
  expect(Object.fromEntries(reasons)).toEqual(
    Object.fromEntries(names.map((what) => [what, [refused(what), refused(what)]])),
  );
  expect(Object.fromEntries(hostile.requests)).toEqual(Object.fromEntries(names.map((what) => [what, 1])));
  // Includes bytes in the kernel's buffers, written but not read.
  await expect.poll(() => hostile.written.size).toBe(names.length);
  // `fetch` does not show informational responses, so only the timer ends them.
  hostile.written.delete("announces more answers without end");
  expect(Math.max(...hostile.written.values())).toBeLessThan(2 ** 25);
});

test("verifyViewerToken keeps one verifier per issuer, and works with require", async ({ place, built }) => {
  const group = await place.group({ properties: { plan: "pro" } });
  await place.set({ visible: { properties: ["plan"] } });
  const token = await place.mint({ token: group.token, viewer: "u" });
  const { createRequire } = await import("node:module");
  const required: typeof built.verify = createRequire(`${built.folder}/index.js`)("@user-groups/client/verify");
  for (const { verifyViewerToken } of [built.verify, required]) {
    const options = { issuer: place.issuer };
    const claims = await verifyViewerToken(token, options);
    expect(claims).toMatchObject({ viewer: "u", variables: { plan: "pro" }, team_id: group.team_id });
    await expect(verifyViewerToken(token, { ...options, audience: "other" })).rejects.toMatchObject({
      reason: "claims",
    });
    await expect(verifyViewerToken(token, { issuer: `${place.issuer}x` })).rejects.toMatchObject({
      reason: "keys_unavailable",
    });
    let reads = 0;
    const counting: typeof fetch = (input, init) => {
      reads++;
      return fetch(input, init);
    };
    for (const gen of [1, 2, 1]) {
      const verified = verifyViewerToken(token, { ...options, fetch: counting, lowestGeneration: () => gen });
      if (gen === 1) expect(await verified).toEqual(claims);
      else await expect(verified).rejects.toMatchObject({ reason: "revoked" });
    }
    expect(reads, "each call has options of its own, and the keys are read once").toBe(1);
  }
});

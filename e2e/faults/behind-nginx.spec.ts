import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";
import { examine } from "../../lib/doctor/examine";
import type { Finding } from "../../lib/doctor/finding";
import { insertApiToken } from "../fixtures/api-token";
import { expect, test } from "../fixtures/own-service";
import { missingProxies, startEncryptedNginx } from "../fixtures/proxies";
import { run } from "../fixtures/run";
import { wayTo } from "../fixtures/tcp-forwarder";

interface Page {
  next_cursor: string;
}

const faultsIn = (findings: Finding[]) =>
  Object.fromEntries(findings.filter(({ state }) => state !== "good").map(({ name, state }) => [name, state]));

// These tests' databases have one role that owns everything.
const ROLE = { "database role": "doubtful" };

test("behind deploy/nginx.conf the doctor finds no problem, and names each one we introduce", async ({
  start,
  createDatabase,
}) => {
  test.skip((await missingProxies()).includes("nginx"), "nginx is not installed");
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: "d0".repeat(32) };
  const service = await start({ ...settings, TRUSTED_PROXIES: "1" });
  const token = await insertApiToken(settings, { access: "read" });
  const nginx = await startEncryptedNginx(new URL(service.url));
  try {
    const trusting = { NODE_EXTRA_CA_CERTS: nginx.certificate };
    const doctor = (url: string, env: Record<string, string>) =>
      run("./user-groups", ["doctor", url, "--json"], { env });

    const told = JSON.parse((await doctor(nginx.url, { ...trusting, DOCTOR_TOKEN: token })).stdout);
    expect(faultsIn(told.findings)).toEqual(ROLE);
    const says = Object.fromEntries(told.findings.map(({ name, says }: Finding) => [name, says]));
    expect(says.encryption).toBe("TLS; the certificate is valid for 89 more days.");
    expect(says.address).toBe("the service sees you as 127.0.0.1, through one proxy.");

    // An unknown token is distinguished from a dropped header.
    const unknown = await doctor(nginx.url, { ...trusting, DOCTOR_TOKEN: "unheard-of-".repeat(4) });
    expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining("the API token is not valid here") });

    const distrusting = await doctor(nginx.url, { DOCTOR_TOKEN: token });
    expect(distrusting).toMatchObject({ code: 1, stdout: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
    const redirected = await examine(new URL(nginx.plainUrl), token);
    expect(redirected).toMatchObject([{ name: "redirect", state: "wrong", todo: expect.stringContaining("https://") }]);
    const plain = await fetch(`${nginx.plainUrl}/api/user`, { method: "POST", redirect: "manual" });
    expect(plain.status).toBe(403);

    // Longer than nginx waits for other responses.
    const dispatcher = new Agent({ connect: { ca: await readFile(nginx.certificate) } });
    const headers = { authorization: `Token ${await insertApiToken(settings, { scopes: ["events:read"] })}` };
    const events = async (query: string) =>
      (await request(`${nginx.url}/api/events?${query}`, { dispatcher, headers })).body.json() as Promise<Page>;
    const { next_cursor } = await events("after=latest");
    expect(await events(`after=${next_cursor}&wait=16`)).toMatchObject({ success: 1, events: [], next_cursor });

    // Unknown hosts are not passed on.
    const evil = request(nginx.plainUrl, { headers: { host: "evil.example" } });
    await expect(evil).rejects.toThrow("other side closed");
    const unnamed = request(nginx.url.replace("localhost", "127.0.0.1"));
    await expect(unnamed).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_SSL/) });

    // A caller that bypasses nginx can forge what the service trusts nginx for.
    const past = await examine(new URL(service.url), token);
    expect(faultsIn(past)).toEqual({ address: "wrong" });
    expect(past.find(({ name }) => name === "address")?.todo).toContain("TRUSTED_PROXIES=0");
  } finally {
    await nginx.stop();
  }
});

test("the doctor reports an unreachable database and a key change in progress", async ({ start, createDatabase }) => {
  const { way, url } = await wayTo(await createDatabase());
  const settings = { DATABASE_URL: url, SECRET_KEY: "d1".repeat(32), PREVIOUS_SECRET_KEY: "d0".repeat(32) };
  const service = await start({ ...settings, PUBLIC_URL: "https://groups.example.com" });
  const token = await insertApiToken(settings);
  const told = await examine(new URL(service.url), token);
  expect(faultsIn(told)).toEqual({ ...ROLE, key: "doubtful", "public address": "doubtful" });
  await way.cut();
  expect(await examine(new URL(service.url), token)).toContainEqual({
    name: "database",
    state: "wrong",
    says: "the service is alive but not ready: 503 unavailable. The database is unavailable. Try again shortly.",
    todo: expect.stringContaining("DATABASE_URL"),
  });
});

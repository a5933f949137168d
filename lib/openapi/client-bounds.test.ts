import { afterAll, beforeAll, expect, test } from "vitest";
import { UserGroupsClient } from "@/clients/typescript/src/client";
import { startHostile } from "@/e2e/fixtures/hostile";

const MINUTE = 60_000;

let server: Awaited<ReturnType<typeof startHostile>>;
beforeAll(async () => {
  server = await startHostile();
});
afterAll(async () => {
  await server.stop();
});

const clientOf = (what: string, deadline: number, fetch?: typeof globalThis.fetch) => {
  const baseUrl = server.urls[what] ?? "";
  return new UserGroupsClient({ baseUrl, apiToken: "t", deadline, retries: 0, ...(fetch && { fetch }) });
};

const READS = {
  JSON: (client: UserGroupsClient) => client.list(),
  text: (client: UserGroupsClient) => client.jobs.failed(1),
  "a line of an export": (client: UserGroupsClient) => client.export().next(),
};

for (const [of, read] of Object.entries(READS)) {
  for (const what of ["never ends, fast", "refuses, and never ends"]) {
    test(`the client reads ${of} within bounds from a server that ${what}`, { timeout: 2 * MINUTE }, async () => {
      const before = server.written.get(what) ?? 0;
      const isRefusal = what.startsWith("refuses");
      await expect(read(clientOf(what, MINUTE))).rejects.toMatchObject({
        code: "unexpected_answer",
        status: isRefusal ? 500 : of.includes("line") ? undefined : 200,
      });
      await expect.poll(() => server.written.get(what) ?? 0, { timeout: MINUTE }).toBeGreaterThan(before);
      expect((server.written.get(what) ?? 0) - before).toBeLessThan(2 ** (isRefusal ? 25 : 28));
    });
  }
}

for (const [what, fetch] of [
  ["never settles", () => new Promise<never>(() => undefined)],
  ["ignores its signal", (url: RequestInfo | URL) => globalThis.fetch(url)],
] as const) {
  test(`a call with a fetch that ${what} ends in time`, async () => {
    const client = clientOf("hangs after its headers", 400, fetch);
    await expect(client.list()).rejects.toMatchObject({ code: "timed_out" });
    await expect(client.export({}, { timeout: 200 }).next()).rejects.toMatchObject({ code: "timed_out" });
    const stopped = client.list({}, { signal: AbortSignal.timeout(50), deadline: MINUTE });
    await expect(stopped).rejects.toMatchObject({ name: "TimeoutError" });
  });
}

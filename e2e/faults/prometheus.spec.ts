import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { clientOf } from "../fixtures/client";
import { queriesOf, readDashboard } from "../fixtures/monitoring";
import { test as base, expect, METRICS_TOKEN } from "../fixtures/own-service";
import { freePort } from "../fixtures/service-process";

const PROGRAM = "/usr/bin/prometheus";
const API_TOKEN = "a-token-of-ones-own-0123456789-provisioned";

interface Prometheus {
  /** its API's answer */
  ask<Data>(path: string, parameters?: Record<string, string>): Promise<Data>;
}

/** Starts Prometheus with deploy/prometheus for a service on this machine. */
const test = base.extend<{ watch: (service: { url: string }) => Promise<Prometheus> }>({
  watch: async ({ folder }, use) => {
    const stops: (() => Promise<unknown>)[] = [];
    await use(async (service) => {
      const place = path.join(folder, "prometheus");
      await cp("deploy/prometheus", place, { recursive: true });
      await writeFile(path.join(place, "token"), METRICS_TOKEN);
      const given = await readFile(path.join(place, "prometheus.yml"), "utf8");
      const config = given
        .replace("/etc/prometheus/user-groups-token", "token")
        .replace(/(scrape_configs:[\s\S]*?targets: )\[.*\]/, `$1["${new URL(service.url).host}"]`);
      const often = "global: { scrape_interval: 1s, evaluation_interval: 1s }\n";
      await writeFile(path.join(place, "prometheus.yml"), often + config);
      const port = await freePort();
      const args = [`--config.file=${path.join(place, "prometheus.yml")}`, `--storage.tsdb.path=${place}/data`];
      const child = spawn(PROGRAM, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: "ignore" });
      const ended = once(child, "exit");
      stops.push(() => {
        child.kill("SIGKILL");
        return ended;
      });
      const url = `http://127.0.0.1:${port}`;
      const isReady = () =>
        fetch(`${url}/-/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
      return {
        async ask(path, parameters = {}) {
          const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
          const { data, error } = await response.json();
          expect(error).toBeUndefined();
          return data;
        },
      };
    });
    for (const stop of stops) await stop();
  },
});

test("Prometheus scrapes a service, every panel of the dashboard has data, and the alerts work", async ({
  start,
  watch,
  folder,
  dataDir,
}) => {
  test.skip(!existsSync(PROGRAM), "Prometheus is not installed");
  test.setTimeout(300_000);
  // PostgreSQL's account writes the backups, and needs access.
  await chmod(folder, 0o711);
  const backups = path.join(folder, "backups");
  await mkdir(backups, { mode: 0o700 });
  const settings = { DATA_DIR: dataDir, BACKUP_DIR: backups, API_TOKEN, METRICS_TOKEN, RATE_LIMIT_REQUESTS: "40" };
  const service = await start(settings);
  const client = clientOf(service.url, API_TOKEN);
  const { user_group } = (await client.get("first")).json;
  expect((await client.get("second")).status).toBe(200);
  expect((await client.get("third")).status).toBe(429);
  expect((await clientOf(service.url, "uga_test_none").get("first")).status).toBe(401);
  const viewer = await fetch(`${service.url}/api/viewer`, {
    method: "POST",
    headers: { authorization: `Token ${API_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ token: user_group.token }),
  });
  expect(viewer.status).toBe(200);

  const prometheus = await watch(service);
  const queries = queriesOf(readDashboard()).map((query) =>
    query.replaceAll("$job", "user-groups").replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m"),
  );
  const empty = async () => {
    const results = await Promise.all(
      queries.map((query) => prometheus.ask<{ result: unknown[] }>("query", { query })),
    );
    return queries.filter((_, n) => results[n]?.result.length === 0);
  };
  // Lags are measured every ten seconds.
  await expect.poll(empty, { timeout: 60_000 }).toEqual([]);

  interface Rule {
    name: string;
    health: string;
    state: string;
  }
  const rules = async () =>
    (await prometheus.ask<{ groups: { rules: Rule[] }[] }>("rules")).groups.flatMap((g) => g.rules);
  const found = await rules();
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter(({ health }) => health !== "ok")).toEqual([]);
  const stateOf = async (alert: string) => (await rules()).find(({ name }) => name === alert)?.state;
  expect(await stateOf("UserGroupsRateLimited")).toBe("inactive");
  for (let n = 0; n < 200; n++) await client.get("third");
  await expect.poll(() => stateOf("UserGroupsRateLimited"), { timeout: 30_000 }).toBe("pending");
  expect(await stateOf("UserGroupsDown")).toBe("inactive");
  expect(await service.stop()).toBe(0);
  await expect.poll(() => stateOf("UserGroupsDown")).toBe("pending");
});

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { metricsIn, queriesOf, readDashboard, WITHIN_SERVICE } from "@/e2e/fixtures/monitoring";
import { exposition, openMeter } from "@/lib/operations/prometheus";
import { meter } from "@/lib/telemetry/current";
import { slugOf } from "@/tools/site/slug";

// The dashboard, the alerts and docs/operations.md agree with each other and with the metrics.

const RULES = "deploy/prometheus/rules.yaml";
const CONFIG = "deploy/prometheus/prometheus.yml";
const alert = z.strictObject({
  alert: z.string().regex(/^UserGroups[A-Z][A-Za-z]+$/),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning", "info"]) }),
  annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
});
const { groups } = z
  .object({ groups: z.tuple([z.strictObject({ name: z.literal("user-groups"), rules: z.array(alert) })]) })
  .parse(parse(readFileSync(RULES, "utf8")));
const alerts = groups[0].rules;
const dashboard = readDashboard();

/** The names of all possible metrics of a process, including histogram series. */
async function exposed(): Promise<Set<string>> {
  await openMeter("api");
  const counts = meter();
  if (!counts) throw new Error("nothing counts");
  counts.partitioned(12);
  counts.backedUp(undefined);
  counts.feedLags(0, "");
  counts.webhooksLag(0);
  counts.answered({ method: "GET", route: "/api/user", status: 200 }, 0.01);
  return metricsIn(await exposition([await counts.counts()]));
}

test("dashboard and alerts use only the service's metrics", async () => {
  const known = await exposed();
  const used = [...queriesOf(dashboard), ...alerts.map(({ expr }) => expr)].flatMap((query) => [
    ...query.matchAll(/\b[a-z][a-z0-9_]+(?=\{)/g),
  ]);
  const names = new Set(used.map(([name]) => name));
  names.delete("up");
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => !known.has(name))).toEqual([]);
});

test("every metric of ours is on the dashboard", async () => {
  const queries = queriesOf(dashboard).join("\n");
  const own = [...(await exposed())].filter((name) => !/^(?:process|nodejs)_|_(?:sum|count|bucket)$/.test(name));
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter((name) => !queries.includes(`${name}{`))).toEqual([]);
});

test("dashboard panels do not overlap, and each queries the selected source, job and instances", () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const charts = panels.filter(({ type }) => type !== "row");
  expect(charts.filter(({ targets, description }) => !targets?.length || !description)).toEqual([]);
  for (const query of queriesOf(dashboard)) expect(query).toContain(WITHIN_SERVICE);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
});

describe("alerts", () => {
  test("each has a summary, and a heading in docs/operations.md", () => {
    const [, section = ""] = /^## Alerts\n(.*?)^## /ms.exec(readFileSync("docs/operations.md", "utf8")) ?? [];
    const headings = [...section.matchAll(/^### (.*)$/gm)].map(([, title = ""]) => slugOf(title));
    const links = alerts.map(({ annotations: { runbook_url } }) => runbook_url.split("/docs/operations.md#"));
    expect(links.map(([, anchor]) => anchor).sort()).toEqual(headings.sort());
    expect(new Set(links.map(([place]) => place))).toEqual(new Set(["https://example.com"]));
    for (const { annotations } of alerts) expect(annotations.summary).toMatch(/^[{A-Z].*\.$/);
  });

  test("each is tested both raised and not raised", () => {
    const cases = z
      .object({
        tests: z.array(
          z.object({
            alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).optional() })),
          }),
        ),
      })
      .parse(parse(readFileSync("deploy/prometheus/rules.test.yaml", "utf8")))
      .tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    const names = alerts.map(({ alert }) => alert);
    for (const raised of [true, false]) {
      const tested = cases.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === raised);
      expect(names.filter((name) => !tested.some(({ alertname }) => alertname === name))).toEqual([]);
    }
  });
});

const PROMTOOL = "/usr/bin/promtool";

describe.skipIf(!existsSync(PROMTOOL))("by promtool", { meta: { skipped: "needs promtool" } }, () => {
  const promtool = (...args: string[]) => execFileSync(PROMTOOL, args, { encoding: "utf8", stdio: "pipe" });

  test("the rules are valid and pass their tests", () => {
    expect(promtool("check", "rules", "--lint-fatal", RULES)).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(promtool("test", "rules", "deploy/prometheus/rules.test.yaml")).toContain("SUCCESS");
  });

  test("the configuration is valid, with its token and rules", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "user-groups-prometheus-"));
    try {
      cpSync("deploy/prometheus", folder, { recursive: true });
      const token = path.join(folder, "token");
      writeFileSync(token, "metrics-token-of-this-test");
      const file = path.join(folder, path.basename(CONFIG));
      writeFileSync(file, readFileSync(CONFIG, "utf8").replace("/etc/prometheus/user-groups-token", token));
      expect(promtool("check", "config", file)).toContain(`SUCCESS: ${alerts.length} rules found`);
      rmSync(token);
      expect(() => promtool("check", "config", file)).toThrow(/token/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

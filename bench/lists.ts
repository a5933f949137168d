// Measures how long lists of groups take over HTTP: `npx tsx bench/lists.ts [groups] [requests per query]`, on the production
// build, with a database of its own that goes afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { attachEmbedded } from "@/lib/db/embedded";
import { command } from "../e2e/fixtures/run";
import { startService } from "../e2e/fixtures/service-process";
import { describeLatencies, measureLists, signInTo } from "./list-latency";

const [groups = "100000", times = "40"] = process.argv.slice(2);
const owner = { email: "owner@example.com", password: "correct horse battery" };

const folder = mkdtempSync(path.join(tmpdir(), "user-groups-bench-"));
const postgres = await attachEmbedded(folder);
try {
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY: "0123456789abcdef".repeat(4) };
  const { code, stdout, stderr } = await command(["seed", "--groups", groups], settings);
  if (code !== 0) throw new Error(stderr);
  process.stdout.write(stdout);
  const service = await startService(
    { ...settings, ADMIN_EMAIL: owner.email, ADMIN_PASSWORD: owner.password, LOG_LEVEL: "warn" },
    { patience: 180_000 },
  );
  const cookie = await signInTo(service.url, owner.email, owner.password);
  const place = { url: service.url, cookie, environment: "testing", times: Number(times) };
  process.stdout.write(describeLatencies(await measureLists(place)));
  await service.stop();
} finally {
  await postgres.release();
  rmSync(folder, { recursive: true });
}

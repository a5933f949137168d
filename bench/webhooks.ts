import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { PRESETS } from "@/lib/db/scopes";
import { webhookSecretAnswer } from "@/lib/webhooks/schema";
import { insertApiToken } from "../e2e/fixtures/api-token";
import { answering, makeCertificate, receiverOf } from "../e2e/fixtures/receiver";
import { ratio } from "./compare";
import type { Goal } from "./goals";
import { startGenerator } from "./open-loop";
import { median } from "./quantile";
import { circumstances, print, printGoals, writeResults } from "./report";
import { onStage, type Stage } from "./stage";
import type { Kept } from "./timetable";

const GROUPS = 10_000;
/** GET existing and changes, a second. */
const GETS = 500;
const CHANGES = 1_000;
/** Changes are sent in portions, this often. */
const TICK_MS = 10;
/** Of each kind, dead and slow: as many as one environment can have. */
const RECEIVERS = 20;
/** How late slow receivers answer. */
const SLOW_MS = 5_000;
/** Deliveries begin, or end, so long before a measurement. */
const SETTLE_MS = 3_000;
const MOST = 1.1;

interface WebhooksOptions {
  rounds: number;
  seconds: number;
  suffix: string;
}

type Measured = Kept & { changed: number };

/** Measures GET existing during many changes, with their events sent to dead and slow receivers and without, in turn. */
export async function measureWebhooks({ rounds, seconds, suffix }: WebhooksOptions) {
  let certificate: Awaited<ReturnType<typeof makeCertificate>> | undefined;
  const settingsIn = async (folder: string) => {
    certificate = await makeCertificate(folder);
    return { NODE_EXTRA_CA_CERTS: certificate.file, WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };
  };
  await onStage({ groups: GROUPS, print, settingsIn }, async (stage) => {
    if (!certificate) throw new Error("no certificate");
    const { ours, settings, database, atEnd } = stage;
    const slow = await receiverOf(certificate, (response, ...rest) => {
      setTimeout(() => answering(200)(response, ...rest), SLOW_MS);
    });
    atEnd(() => slow.close());
    const dead = [await refusingUrl(), await silentUrl(atEnd)];
    const agent = new Agent({ connections: 64 });
    atEnd(() => agent.destroy());
    const callers: Caller[] = [];
    for (const environment of ["testing", "production"]) {
      const token = await insertApiToken(settings, { environment, scopes: PRESETS.full });
      callers.push(callerOf({ url: ours.url, token, agent }));
    }
    const webhooks: { call: Caller; id: number }[] = [];
    for (const [n, call] of callers.entries()) {
      for (let one = 0; one < RECEIVERS; one++) {
        const url = n === 0 ? dead[one % dead.length] : new URL("/slow", slow.url).href;
        const { webhook } = webhookSecretAnswer.parse(await call("POST", "/api/webhooks", { url }));
        webhooks.push({ call, id: webhook.id });
      }
    }
    const { rows } = await database.query<{ provided_id: string }>("SELECT provided_id FROM user_group LIMIT 5000");
    const ids = rows.map(({ provided_id }) => provided_id);
    for (const user_group_id of ids) await callers[1]?.("GET", "/api/user", { user_group_id });

    const keep = startGenerator(atEnd);
    const measure = async (enabled: boolean): Promise<Measured> => {
      for (const { call, id } of webhooks) await call("PATCH", "/api/webhooks", { webhook_id: id, enabled });
      // Nobody waits half a day before the next attempt.
      await database.query("UPDATE webhook_delivery SET next_at = now() WHERE state = 'waiting'");
      await database.query("UPDATE webhook SET paused_until = NULL");
      const changes = changeSteadily(callers, ids);
      await sleep(SETTLE_MS);
      const before = changes.count();
      const kept = await keep({ server: ours, rate: GETS, seconds });
      const changed = (changes.count() - before) / seconds;
      await changes.stop();
      return { ...kept, changed };
    };
    await measure(true);
    await measure(false);
    const beside: Measured[] = [];
    const alone: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const enabled of round % 2 === 0 ? [true, false] : [false, true]) {
        (enabled ? beside : alone).push(await measure(enabled));
      }
    }
    const { rows: attempts } = await database.query<{ receivers: string; tries: number }>(
      `SELECT regexp_replace(url, '.*/', '') AS receivers, sum(tries)::int AS tries
       FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id GROUP BY 1 ORDER BY 1`,
    );
    const tries = Object.fromEntries(attempts.map(({ receivers, tries }) => [receivers, tries]));
    print(
      `attempts: ${Object.entries(tries)
        .map(([receivers, count]) => `${receivers} ${count}`)
        .join(", ")}`,
    );
    report({ beside, alone, tries, seconds, suffix });
  });
}

interface Report {
  beside: Measured[];
  alone: Measured[];
  tries: Record<string, number>;
  seconds: number;
  suffix: string;
}

function report({ beside, alone, tries, seconds, suffix }: Report) {
  for (const [what, rounds] of Object.entries({ "no receivers": alone, receivers: beside })) {
    const middle = (pick: (one: Measured) => number) => median(rounds.map(pick)).toFixed(1);
    const [p50, p99] = [middle((one) => one.p50), middle((one) => one.p99)];
    print(`${what}: p50 ${p50} ms, p99 ${p99} ms, ${middle(({ changed }) => changed)} changes/s`);
  }
  const p99 = ratio(
    beside.map((one) => one.p99),
    alone.map((one) => one.p99),
  );
  const { low, high } = p99.interval;
  print(`p99 with receivers / without: ${p99.median.toFixed(2)} (95 % interval ${low.toFixed(2)}–${high.toFixed(2)})`);
  const errors = [...beside, ...alone].reduce((sum, one) => sum + one.errors, 0);
  const goals: Goal[] = [
    { what: "p99 of GET existing, with receivers / without, lower end", value: low, goal: MOST, bound: "at most" },
    { what: "errors", value: errors, goal: 0, bound: "at most" },
  ];
  printGoals(goals);
  const about = circumstances();
  writeResults(`${about.date}-webhooks${suffix}`, { ...about, gets: GETS, seconds, beside, alone, tries, p99, goals });
}

/** An address that refuses connections. */
async function refusingUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `https://127.0.0.1:${port}/refusing`;
}

/** An address that accepts connections and never says anything. */
async function silentUrl(atEnd: Stage["atEnd"]): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined); // Ended by the service.
    socket.resume();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/silent`;
}

type Caller = (method: "GET" | "POST" | "PUT" | "PATCH", path: string, body: object) => Promise<unknown>;

function callerOf({ url, token, agent }: { url: string; token: string; agent: Agent }): Caller {
  return async (method, path, body) => {
    const response = await request(`${url}${path}`, {
      method,
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      dispatcher: agent,
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(text);
    return JSON.parse(text);
  };
}

/** Gives groups new names at a steady rate, in all environments alike. */
function changeSteadily(callers: Caller[], ids: string[]) {
  const start = performance.now();
  const under = new Set<Promise<unknown>>();
  let [sent, done] = [0, 0];
  let failed: unknown;
  const timer = setInterval(() => {
    for (; sent < ((performance.now() - start) * CHANGES) / 1_000; sent++) {
      const user_group_id = ids[Math.floor(sent / callers.length) % ids.length];
      const name = `Name ${Date.now()} ${sent}`;
      const change = callers[sent % callers.length]?.("PUT", "/api/user", { user_group_id, name });
      const one = Promise.resolve(change).then(
        () => {
          done += 1;
        },
        (error: unknown) => {
          failed ??= error;
        },
      );
      under.add(one);
      void one.finally(() => under.delete(one));
    }
  }, TICK_MS);
  return {
    /** how many were answered */
    count: () => done,
    async stop() {
      clearInterval(timer);
      await Promise.all(under);
      if (failed) throw failed;
    },
  };
}

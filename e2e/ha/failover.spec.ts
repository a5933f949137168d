import { setTimeout as sleep } from "node:timers/promises";
import { test as base, expect } from "@playwright/test";
import { missingForHa } from "../fixtures/ha-cluster";
import { type HaDrill, openHaDrill, printHaOutcomes } from "../fixtures/ha-drill";
import { findEtcdLeader } from "../fixtures/ha-etcd";
import type { HaNode } from "../fixtures/ha-node";
import { signal } from "../fixtures/own-postgres";
import type { Forwarder } from "../fixtures/tcp-forwarder";

// A service behind HAProxy and one behind PgBouncer, on three nodes of Patroni and PostgreSQL, and three etcd. The
// cluster is intact before and after each fault.

const test = base.extend<object, { drill: HaDrill }>({
  drill: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const drill = await openHaDrill();
      await use(drill);
      await drill.close();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

const missing = await missingForHa();
test.skip(missing.length > 0, `${missing.join(", ")} not installed`);
test.afterAll(printHaOutcomes);

/** Patroni's `ttl`, after which its keys in etcd expire. */
const TTL_MS = 20_000;
/** How long a failover may take. */
const FAILOVER_MS = TTL_MS + 40_000;
/** The pause after a fault or a failover before the next step. */
const PAUSE_MS = 5_000;

async function waitForOther({ cluster }: HaDrill, than: HaNode) {
  await expect.poll(async () => (await cluster.leader()).name, { timeout: FAILOVER_MS }).not.toBe(than.name);
}

function signalAll(pids: number[], name: NodeJS.Signals) {
  for (const pid of pids) signal(pid, name);
}

/** Drops all bytes on these connections for this long. */
async function block(ways: Forwarder[], milliseconds: number) {
  for (const way of ways) way.trouble({ kind: "black hole" });
  await sleep(milliseconds);
  for (const way of ways) way.trouble();
}

async function allOf(node: HaNode): Promise<number[]> {
  return [...(await node.patroni()), ...(await node.postgres())];
}

test("a planned switchover", async ({ drill }) => {
  await drill.run({ name: "planned switchover", outage: 30, begin: () => drill.cluster.switchover() });
});

test("the primary's PostgreSQL is killed", async ({ drill }) => {
  const primary = await drill.cluster.leader();
  await drill.run({
    name: "primary's PostgreSQL killed -9",
    outage: 30,
    async begin() {
      signalAll(await primary.postgres(), "SIGKILL");
      await waitForOther(drill, primary);
    },
  });
});

test("the primary's Patroni and PostgreSQL are killed", async ({ drill }) => {
  const primary = await drill.cluster.leader();
  await drill.run({
    name: "primary's Patroni and PostgreSQL killed -9",
    outage: 40,
    async begin() {
      signalAll(await allOf(primary), "SIGKILL");
      await waitForOther(drill, primary);
      await sleep(PAUSE_MS);
    },
    end: () => primary.start(),
  });
});

/** Freezes processes of the primary until another node is the leader and has worked for a while. */
async function freezeLeader(drill: HaDrill, name: string, processes: (primary: HaNode) => Promise<number[]>) {
  const primary = await drill.cluster.leader();
  let frozen: number[] = [];
  await drill.run({
    name,
    outage: 40,
    // In production a watchdog would have reset the machine.
    isUnsafe: true,
    async begin() {
      frozen = await processes(primary);
      signalAll(frozen, "SIGSTOP");
      await waitForOther(drill, primary);
      await sleep(PAUSE_MS);
    },
    async end() {
      signalAll(frozen, "SIGCONT");
      await sleep(PAUSE_MS);
    },
  });
}

test("the primary is frozen, and wakes after a failover", async ({ drill }) => {
  await freezeLeader(drill, "primary frozen, no watchdog", allOf);
});

test("only the primary's Patroni is frozen, and wakes after a failover", async ({ drill }) => {
  await freezeLeader(drill, "primary's Patroni frozen, no watchdog", (primary) => primary.patroni());
});

test("the synchronous standby is frozen", async ({ drill }) => {
  const standby = await drill.cluster.synchronousStandby();
  let frozen: number[] = [];
  await drill.run({
    name: "synchronous standby frozen",
    outage: 20,
    async begin() {
      frozen = await allOf(standby);
      signalAll(frozen, "SIGSTOP");
      await sleep(TTL_MS + PAUSE_MS);
    },
    async end() {
      signalAll(frozen, "SIGCONT");
      await sleep(PAUSE_MS);
    },
  });
});

test("the services cannot reach the primary", async ({ drill }) => {
  const { ways } = await drill.cluster.leader();
  await drill.run({
    name: "services cut off from the primary, 10 s",
    outage: 20,
    begin: () => block([ways.clients, ways.checks], 10_000),
  });
});

test("the standbys cannot reach the primary", async ({ drill }) => {
  const { ways } = await drill.cluster.leader();
  await drill.run({
    name: "standbys cut off from the primary, 10 s",
    outage: 20,
    begin: () => block([ways.peers], 10_000),
  });
});

test("the primary cannot reach etcd", async ({ drill }) => {
  const { ways } = await drill.cluster.leader();
  await drill.run({
    name: "primary cut off from etcd, 40 s",
    outage: 5,
    begin: () => block(ways.etcd, 2 * TTL_MS),
  });
});

test("the primary can reach neither etcd nor the other nodes", async ({ drill }) => {
  const { ways } = await drill.cluster.leader();
  const rest = drill.cluster.nodes.map((node) => node.ways.rest);
  await drill.run({
    name: "primary cut off from etcd and nodes, 40 s",
    // On a busy machine, no standby may be promoted before the network is back.
    outage: 80,
    begin: () => block([...ways.etcd, ...rest, ways.peers], 2 * TTL_MS),
  });
});

test("the etcd leader is killed", async ({ drill }) => {
  const { etcd } = drill.cluster;
  const leader = await findEtcdLeader(etcd);
  await drill.run({
    name: "etcd's leader killed -9",
    outage: 5,
    async begin() {
      await leader?.kill();
      await sleep(PAUSE_MS);
    },
    end: () => leader?.start(),
  });
});

test("etcd loses its quorum", async ({ drill }) => {
  const lost = drill.cluster.etcd.slice(1);
  await drill.run({
    name: "etcd without a quorum, 40 s",
    outage: 5,
    async begin() {
      for (const one of lost) await one.kill();
      await sleep(2 * TTL_MS);
    },
    async end() {
      for (const one of lost) await one.start();
      await expect.poll(() => findEtcdLeader(drill.cluster.etcd)).toBeDefined();
    },
  });
});

test("the primary is killed without synchronous replication", async ({ drill }) => {
  const { cluster } = drill;
  await cluster.configure({ synchronous_mode: false, synchronous_mode_strict: false });
  await cluster.settle();
  const primary = await cluster.leader();
  const { lost } = await drill.run({
    name: "asynchronous: standbys behind, primary killed -9",
    outage: 40,
    isUnsafe: true,
    async begin() {
      primary.ways.peers.trouble({ kind: "black hole" });
      await sleep(500);
      signalAll(await allOf(primary), "SIGKILL");
      primary.ways.peers.trouble();
      await waitForOther(drill, primary);
      await sleep(PAUSE_MS);
    },
    end: () => primary.start(),
  });
  // The checker detects the loss.
  expect(lost).toBeGreaterThan(0);
  await cluster.configure({ synchronous_mode: true, synchronous_mode_strict: true });
});

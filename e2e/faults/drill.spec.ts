import { setTimeout as sleep } from "node:timers/promises";
import { test as base, expect } from "@playwright/test";
import pg from "pg";
import { clientOf } from "../fixtures/client";
import { browserOf } from "../fixtures/cookie-client";
import { type Drill, makeDrillPlace, openDrill, printOutcomes } from "../fixtures/drill";
import { type Clock, makeClock, mountSmallDisk, type SmallDisk } from "../fixtures/drill-places";
import { isLong } from "../fixtures/long";
import { signal } from "../fixtures/own-postgres";
import { OWNER, query } from "../fixtures/own-service";
import { createApiToken } from "../fixtures/run";
import { killServices } from "../fixtures/service-process";
import type { Trouble } from "../fixtures/tcp-forwarder";

// One service and one database go through all of these in order: lasting damage from one fault shows in the next.

interface Fixtures {
  place: Awaited<ReturnType<typeof makeDrillPlace>>;
  /** replaces the folder for a database */
  disk: SmallDisk | undefined;
  clock: Clock | undefined;
  /** opens a separate drill in that place */
  open(options: Parameters<typeof openDrill>[1]): Promise<Drill>;
}

const test = base.extend<Fixtures, { drill: Drill }>({
  drill: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const place = await makeDrillPlace();
      const drill = await openDrill(place.data, { settings: { max_connections: "40" } });
      await use(drill);
      await drill.close();
      await place.remove();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above
  place: async ({}, use) => {
    const place = await makeDrillPlace();
    await use(place);
    await place.remove();
  },
  disk: async ({ place }, use) => {
    const disk = await mountSmallDisk(place.data);
    await use(disk);
    await disk?.remove();
  },
  clock: async ({ place }, use) => use(await makeClock(place.folder)),
  open: async ({ place }, use) => {
    const opened: Drill[] = [];
    await use(async (options) => {
      const drill = await openDrill(place.data, options);
      opened.push(drill);
      return drill;
    });
    for (const drill of opened) await drill.close();
  },
});

test.skip(process.platform !== "linux", "needs Linux: reads /proc");
test.describe.configure({ retries: 0 });
test.afterAll(async () => {
  await killServices();
  printOutcomes();
});

const SESSIONS = "FROM pg_stat_activity WHERE application_name ~ '^user-group-service [0-9]'";

test("PostgreSQL is killed and restarted", async ({ drill: { postgres, run } }) => {
  await run({
    // This short, the outage may be waited out.
    name: "PostgreSQL killed -9",
    takesDatabase: true,
    begin: postgres.kill,
    end: postgres.start,
  });
});

test("PostgreSQL is restarted cleanly", async ({ drill: { postgres, run } }) => {
  const restart = async () => {
    await postgres.stop();
    await postgres.start();
  };
  await run({ name: "PostgreSQL restarted", begin: restart, end: restart });
});

test("PostgreSQL is frozen", async ({ drill: { postgres, run } }) => {
  let frozen: number[] = [];
  await run({
    name: "PostgreSQL frozen",
    bites: true,
    takesDatabase: true,
    async begin() {
      frozen = await postgres.processes();
      for (const pid of frozen) signal(pid, "SIGSTOP");
    },
    end() {
      for (const pid of frozen) signal(pid, "SIGCONT");
    },
  });
});

test("PostgreSQL has no connections left", async ({ drill: { postgres, run } }) => {
  const held: pg.Client[] = [];
  const take = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: postgres.url });
    client.on("error", () => undefined);
    const got = await client.connect().then(
      () => true,
      (error: { code?: string }) => {
        if (error.code !== "53300") throw error;
        return false;
      },
    );
    if (got) held.push(client);
    return got;
  };
  const takeAll = async () => {
    for (let left = 1; left > 0; ) {
      while (await take());
      const ended = await held[0]?.query(`SELECT pg_terminate_backend(pid) ${SESSIONS}`);
      left = ended?.rowCount ?? 0;
      // The service reopens its lost connections while we take them.
      await Promise.all(Array.from({ length: left }, take));
    }
  };
  await run({
    name: "out of connections",
    // Calls wait out a short outage.
    ...(isLong && { bites: true }),
    takesDatabase: true,
    begin: takeAll,
    end: () => Promise.all(held.map((client) => client.end())),
  });
});

test("PostgreSQL becomes read-only", async ({ drill: { postgres, run } }) => {
  const change = async (statement: string) => {
    await query(postgres.url, statement);
    await query(postgres.url, "SELECT pg_reload_conf()");
  };
  await run({
    // As above.
    name: "read-only",
    begin: () => change("ALTER SYSTEM SET default_transaction_read_only = on"),
    end: () => change("ALTER SYSTEM RESET default_transaction_read_only"),
  });
});

test("sessions are terminated repeatedly", async ({ drill: { postgres, run } }) => {
  // The pauses let a busy machine open sixteen sessions and use them.
  const endSessions = async () => {
    await query(postgres.url, `SELECT pg_terminate_backend(pid) ${SESSIONS}`);
    await sleep(250);
  };
  await run({ name: "sessions ended", bites: false, begin: endSessions, during: endSessions, end: endSessions });
});

test("a backend is killed, and PostgreSQL ends all sessions", async ({ drill: { postgres, run } }) => {
  const killOne = async () => {
    const [session] = await query<{ pid: number }>(postgres.url, `SELECT pid ${SESSIONS} LIMIT 1`);
    if (!session) throw new Error("the service has no session to kill");
    signal(session.pid, "SIGKILL");
  };
  // PostgreSQL may still be recovering from the previous one.
  const killOneSoon = () => expect(killOne).toPass({ timeout: 20_000 });
  await run({ name: "a backend killed -9", bites: true, begin: killOneSoon, end: killOneSoon });
});

const TROUBLES: { name: string; bites?: boolean; takesDatabase?: boolean; trouble: Trouble }[] = [
  { name: "20 ms of latency each way", bites: false, trouble: { kind: "latency", milliseconds: 20 } },
  { name: "1200 ms of latency each way", bites: true, trouble: { kind: "latency", milliseconds: 1_200 } },
  { name: "a black hole", bites: true, takesDatabase: true, trouble: { kind: "black hole" } },
  { name: "slices of 5 bytes", bites: false, trouble: { kind: "slices", bytes: 5 } },
  {
    name: "cut before the answer to a change",
    bites: true,
    trouble: { kind: "cut before answer", pattern: /create_groups|update_groups?|rotate_tokens?|COMMIT/, nth: 5 },
  },
];

for (const { trouble, ...fault } of TROUBLES) {
  test(`the network to PostgreSQL has trouble: ${fault.name}`, async ({ drill: { way, run } }) => {
    await run({ ...fault, begin: () => way.trouble(trouble), end: () => way.trouble() });
  });
}

test("connections to PostgreSQL are reset repeatedly", async ({ drill: { way, run } }) => {
  await run({ name: "connections reset", bites: true, begin: way.reset, during: way.reset, end: way.reset });
});

test("the service is killed and restarted", async ({ drill }) => {
  await drill.run({
    name: "service killed -9",
    bites: true,
    takesService: true,
    begin: () => drill.service.kill("SIGKILL"),
    end: drill.startAgain,
  });
});

test("the service is stopped and restarted", async ({ drill }) => {
  await drill.run({
    name: "service stopped by SIGTERM",
    bites: true,
    takesService: true,
    begin: () => drill.service.stop(),
    end: drill.startAgain,
  });
});

test("after all faults, all data are as each fault left them", async ({ drill }) => {
  await drill.expectKept();
});

test("PostgreSQL's disk is full", async ({ disk, open }) => {
  test.skip(!disk, "only root may mount a small disk");
  if (!disk) return;
  const { postgres, run } = await open({ settings: { min_wal_size: "4MB", max_wal_size: "24MB" } });
  await run({
    name: "disk full",
    bites: true,
    begin: disk.fill,
    // This makes the log need a new segment sooner; without room for it, this fails too.
    during: () => query(postgres.url, "SELECT pg_switch_wal()").catch(() => undefined),
    async end() {
      await disk.free();
      await postgres.start();
    },
  });
});

test("the clock of service and database is set 40 days ahead, and back to the month before", async ({
  clock,
  open,
}) => {
  test.skip(!clock, "libfaketime is not installed");
  if (!clock) return;
  // Always in the month before, for which the history has a partition.
  const back = -27;
  // Longer than both jumps, so that no deleted group is purged.
  const variables = { ...clock.variables, DELETED_GROUPS_KEPT: "90d" };
  const { run, service, settings, token } = await open({ variables, owner: OWNER });
  const passing = await createApiToken(settings, "--expires", "30d");
  const browser = browserOf(service.url);
  expect((await browser.signIn(OWNER)).status).toBe(200);
  const statuses = async () => ({
    token: (await clientOf(service.url, token).get("timeless")).status,
    passing: (await clientOf(service.url, passing).get("timeless")).status,
    session: (await browser.get("/api/admin/session")).status,
  });
  const seen: Record<number, object> = {};
  const set = async (days: number) => {
    await clock.set(days);
    seen[days] = await statuses();
  };
  let jumps = 0;
  await run({
    name: `clock jumps between ${back} and +40 days`,
    begin: () => set(back),
    during: () => clock.set(jumps++ % 2 === 0 ? 40 : back),
    end: () => set(0),
  });
  await run({ name: "clock 40 days ahead", begin: () => set(40), end: () => clock.set(0) });
  expect(seen).toEqual({
    [back]: { token: 200, passing: 200, session: 200 },
    0: { token: 200, passing: 200, session: 200 },
    40: { token: 200, passing: 401, session: 401 },
  });
  // The API token is valid again; a session found expired is gone.
  expect(await statuses()).toEqual({ token: 200, passing: 200, session: 401 });
});

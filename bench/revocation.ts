import { setTimeout as sleep } from "node:timers/promises";
import { UserGroupsClient } from "@/clients/typescript/src/client";
import { quantile } from "./quantile";
import { circumstances, print, printGoals, writeResults } from "./report";
import { onStage, type Stage } from "./stage";

interface RevocationOptions {
  /** changes of each kind */
  changes: number;
  suffix: string;
}

type Change = (client: UserGroupsClient, id: string) => Promise<unknown>;

const CHANGES: Record<string, Change> = {
  suspend: (client, id) => client.suspend(id),
  rotate: async (client, id) => client.rotate((await client.getOrCreate({ user_group_id: id })).user_group.token),
  "end views": (client, id) => client.endViews(id),
};
const POLL_MS = 1_000;
/** Changes at the same time, each with somebody who asks without a pause. */
const LANES = 2;
/** The longest pause between two changes of a lane, so that they fall anywhere between two polls. */
const PAUSE_MS = 500;
/** A poll a second tells what happened within it, and takes some time itself. */
const MOST_POLLED_MS = 1_100;

/** Milliseconds from sending a change until a viewer token was refused. */
interface Latency {
  asked: number;
  polled: number;
  /** answers that still accepted it, to questions sent after the change was answered */
  late: number;
}

/** Measures how soon a viewer token is refused after its group was suspended, rotated or its views ended: asked, and polled. */
export async function measureRevocation({ changes, suffix }: RevocationOptions) {
  await onStage({ groups: 2 * changes * Object.keys(CHANGES).length, print }, async (stage) => {
    const client = new UserGroupsClient({
      baseUrl: stage.ours.url,
      apiToken: (stage.ours.headers.Authorization ?? "").replace("Token ", ""),
    });
    const { rows } = await stage.database.query<{ id: string }>(
      "SELECT provided_id AS id FROM user_group WHERE state = 'active' AND access_ends_at IS NULL ORDER BY team_id",
    );
    const ids = rows.map(({ id }) => id);
    const poller = startPoller(client, stage);
    const results: Record<string, Latency[]> = {};
    for (const [what, change] of Object.entries(CHANGES)) {
      const measured: Promise<Latency>[] = [];
      const own = ids.splice(0, changes);
      const lane = async () => {
        for (let id = own.pop(); id !== undefined; id = own.pop()) {
          await sleep(Math.random() * PAUSE_MS);
          const { asked, late, polled } = await measureOne(client, { id, change, poller });
          measured.push(polled.then((milliseconds) => ({ asked, late, polled: milliseconds })));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      results[what] = await Promise.all(measured);
    }
    report(results, { changes, suffix });
  });
}

function report(results: Record<string, Latency[]>, { changes, suffix }: RevocationOptions) {
  print(`\nMilliseconds from sending the change until a viewer token is refused, ${changes} changes of each kind`);
  print("             asked: p50      p99      max   polled: p50      p99      max");
  const table = Object.entries(results).map(([what, all]) => {
    const summaryOf = (pick: (one: Latency) => number) => {
      const values = all.map(pick);
      return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), max: Math.max(...values) };
    };
    const [asked, polled] = [summaryOf(({ asked }) => asked), summaryOf(({ polled }) => polled)];
    const cells = [asked, polled].flatMap(({ p50, p99, max }) => [p50, p99, max]);
    print(`  ${what.padEnd(10)} ${cells.map((value, at) => value.toFixed(1).padStart(at % 3 ? 9 : 12)).join("")}`);
    return { what, asked, polled };
  });
  const every = Object.values(results).flat();
  const late = every.reduce((sum, one) => sum + one.late, 0);
  const polled = quantile(
    every.map((one) => one.polled),
    0.99,
  );
  const goals = [
    { what: "asked after the change: accepted", value: late, goal: 0, bound: "at most" },
    { what: "polled each second: p99, ms", value: polled, goal: MOST_POLLED_MS, bound: "at most" },
  ] as const;
  printGoals([...goals]);
  const about = circumstances();
  writeResults(`${about.date}-revocation${suffix}`, { ...about, changes, results: table, goals });
}

async function measureOne(
  client: UserGroupsClient,
  { id, change, poller }: { id: string; change: Change; poller: Poller },
): Promise<Omit<Latency, "polled"> & { polled: Promise<number> }> {
  const { viewer_token: token } = await client.mintViewerToken({ user_group_id: id });
  const { team_id, gen } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  const told = poller.toldOf(team_id, gen);
  const begun = performance.now();
  let isChanged = false;
  const changed = change(client, id).then(() => {
    isChanged = true;
  });
  let late = 0;
  for (;;) {
    const wasChanged = isChanged;
    const { active } = await client.viewer(token);
    if (!active) break;
    if (wasChanged) late += 1;
  }
  const asked = performance.now() - begun;
  await changed;
  return { asked, late, polled: told.then((time) => time - begun) };
}

interface Poller {
  /** resolves with the time at which a poll told that tokens of this generation are revoked */
  toldOf(teamId: number, gen: number): Promise<number>;
}

/** Asks for revocations every second, as an offline renderer does. */
function startPoller(client: UserGroupsClient, { atEnd }: Pick<Stage, "atEnd">): Poller {
  const waiting = new Map<number, { gen: number; resolve: (time: number) => void }>();
  const controller = new AbortController();
  const follow = async () => {
    let since: string | undefined;
    while (!controller.signal.aborted) {
      const page = await client.revocations(since === undefined ? {} : { since });
      since = page.next_since;
      for (const { team_id, gen } of page.revocations) {
        const one = waiting.get(team_id);
        if (one && gen > one.gen) one.resolve(performance.now());
      }
      if (!page.has_more) await sleep(POLL_MS, undefined, { signal: controller.signal }).catch(() => undefined);
    }
  };
  const following = follow();
  atEnd(() => {
    controller.abort();
    return following;
  });
  return {
    toldOf: (teamId, gen) => new Promise((resolve) => waiting.set(teamId, { gen, resolve })),
  };
}

import { databaseNow } from "@/lib/db/clock";
import { jobPool } from "@/lib/db/pool";
import { turns } from "@/lib/db/turns";
import { type CheckedGroup, type Checks, ChunkFindings } from "@/lib/definitions/findings-check";
import { claimFindings, FindingsLease, FindingsLost } from "@/lib/definitions/findings-lease";
import {
  readExtent,
  readGroupsAfter,
  readNamedGroups,
  readSameNames,
  readUnused,
} from "@/lib/definitions/findings-reads";
import { CHUNK_BITS } from "@/lib/definitions/findings-stored";
import {
  type ChunkList,
  deleteAfter,
  readChunk,
  replaceChunk,
  replaceCompared,
} from "@/lib/definitions/findings-writes";
import { type NameCounts, nearNames } from "@/lib/definitions/near-names";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import { findEndPlace, readChangedGroups } from "@/lib/events/feed";
import { memberTexts } from "@/lib/json/exact-json";

/** How much longer the work on an environment waits than it took, and at least, in milliseconds. */
const WAIT = 4;
const LEAST_WAIT_MS = 1_000;
/** Uses and names are compared after so long at the earliest, in milliseconds, and after so many times what it took. */
const COMPARISON_MS = 60_000;
const COMPARISON_WAIT = 10;
/** With so few groups, each pass is over all of them. With more, a pass follows when this share of them has changed. */
const FEW_GROUPS = 4_096;
const CHANGED_SHARE = 0.5;
/** Entries of the feed to read at once. */
const ENTRIES = 5_000;
/** Groups to count properties' names in, and places to read them at if there are more. */
const SAMPLE = 8_192;
const PLACES = 64;
/** The most frequent names to keep; rarer ones than that count as once. */
const MOST_NAMES_KEPT = 1_000;
const LEAST_COUNT = 2;
const MOST_NAME_LENGTH = 100;
const DAY_MS = 86_400_000;
const LAST_CHUNK = 2_147_483_647 >> CHUNK_BITS;
/** Chunks whose uses are compared by one statement. */
const CHUNKS_AT_ONCE = 8;

/** How long the last comparison of an environment took in this process, in milliseconds. */
const comparisons = new Map<number, number>();

/** Brings findings up to date, one environment after the other, until none is out of date or the process stops. */
export async function workOnFindings(isToStop: () => boolean) {
  while (!isToStop()) {
    const claimed = await claimFindings();
    if (!claimed) return;
    const definitions = await readDefinitions(claimed.state.id);
    const lease = new FindingsLease(claimed.state, claimed.worker, definitions.version);
    try {
      await new FindingsWork(lease, definitions, isToStop).bringUpToDate();
    } catch (error) {
      if (!(error instanceof FindingsLost || error instanceof Stopped)) throw error;
    } finally {
      await lease.release();
    }
  }
}

/** The process stops: another one continues. */
class Stopped extends Error {}

class FindingsWork {
  private readonly began = performance.now();
  private readonly environmentId: number;
  private readonly yieldTurn = turns();

  constructor(
    private readonly lease: FindingsLease,
    private readonly definitions: KnownDefinitions,
    private readonly isToStop: () => boolean,
  ) {
    this.environmentId = lease.state.id;
  }

  async bringUpToDate() {
    const now = (await databaseNow()).getTime();
    const compare = this.needsComparison(now);
    if (this.needsPass(now) || !(await this.refresh())) await this.pass(compare);
    else if (compare) await this.compare();
  }

  private needsPass(now: number): boolean {
    const { definitions_version, groups, changes, passed_at } = this.lease.state;
    if (definitions_version !== this.definitions.version || passed_at === null || groups <= FEW_GROUPS) return true;
    return changes > groups * CHANGED_SHARE || (changes > 0 && now - passed_at.getTime() > DAY_MS);
  }

  private needsComparison(now: number): boolean {
    const { compared_at, groups } = this.lease.state;
    if (groups <= FEW_GROUPS) return true;
    const wait = Math.max(COMPARISON_MS, COMPARISON_WAIT * (comparisons.get(this.environmentId) ?? 0));
    return compared_at === null || now - compared_at.getTime() > wait;
  }

  /** Checks all groups, and lets the database compare them at the same time if that is due: definitions do not change it. */
  private async pass(compare: boolean) {
    const place = await findEndPlace(this.environmentId);
    const counts = await this.countNames();
    const ends = await Promise.allSettled([this.checkAll(this.checksWith(counts)), compare && this.compare()]);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    await this.lease.notePass(this.wait(), place, JSON.stringify(Object.fromEntries(counts)));
  }

  private async checkAll(checks: Checks) {
    let [chunk, after] = [-1, -1];
    let findings = new ChunkFindings(checks);
    const write = async () => {
      if (chunk < 0) return;
      const [at, { found }] = [{ environmentId: this.environmentId, chunk, after }, findings];
      await this.lease.change((client) => replaceChunk(client, at, found));
      after = chunk;
      findings = new ChunkFindings(checks);
    };
    for await (const portion of this.portions()) {
      for (const [next, groups] of byChunk(portion, ({ team_id }) => team_id)) {
        if (next !== chunk) await write();
        chunk = next;
        await this.inTurns(groups, (group) => findings.check(group));
      }
    }
    await write();
    await this.lease.change((client) => deleteAfter(client, this.environmentId, after));
  }

  private checksWith(counts: NameCounts): Checks {
    const { document, memberFindings, mappingFindings } = this.definitions;
    const defined = document.enforcement === "off" ? [] : Object.keys(document.properties);
    return { memberFindings, mappingFindings, likeOf: nearNames(defined, counts) };
  }

  /** Counts names of properties: in all groups, or in a sample from all over the numbers. */
  private async countNames(): Promise<NameCounts> {
    const counts = new Map<string, number>();
    const count = ({ properties }: CheckedGroup) => {
      for (const [name, value] of properties === null ? [] : memberTexts(properties)) {
        if (value !== "null" && name.length <= MOST_NAME_LENGTH) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    };
    const { groups, first, last } = await readExtent(this.environmentId, SAMPLE + 1);
    if (groups <= SAMPLE) for await (const portion of this.portions()) await this.inTurns(portion, count);
    else {
      const step = (last - first) / PLACES;
      for (let place = 0; place < PLACES; place++) {
        const after = Math.floor(first + place * step) - 1;
        await this.inTurns(await readGroupsAfter(this.environmentId, after, SAMPLE / PLACES), count);
        await this.lease.keep();
      }
    }
    const kept = [...counts].filter(([, number]) => number >= LEAST_COUNT).sort(([, one], [, other]) => other - one);
    return new Map(kept.slice(0, MOST_NAMES_KEPT));
  }

  /** All groups; the next ones are read while these are worked on. */
  private async *portions(): AsyncGenerator<CheckedGroup[]> {
    for (let next = readGroupsAfter(this.environmentId, 0); ; ) {
      const groups = await next;
      const last = groups.at(-1);
      if (!last) return;
      next = readGroupsAfter(this.environmentId, last.team_id);
      // It is awaited unless the work ends before.
      next.catch(() => undefined);
      yield groups;
      await this.lease.keep();
    }
  }

  /** Checks the groups that have changed by the feed; false when the feed does not have all changes any more. */
  private async refresh(): Promise<boolean> {
    const checks = this.checksWith(new Map(Object.entries(JSON.parse(this.lease.state.keys ?? "{}"))));
    for (let from = this.lease.place; ; ) {
      const changed = await readChangedGroups(jobPool, this.environmentId, { from, limit: ENTRIES });
      if (changed.isCut) return false;
      for (const [chunk, teamIds] of byChunk(changed.teamIds, (id) => id))
        await this.checkAgain(chunk, teamIds, checks);
      await this.lease.noteChanges(this.wait(), changed.place, changed.teamIds.length);
      if (changed.caughtUp) return true;
      from = changed.place;
    }
  }

  /** Checks some groups of a chunk, of which some may be gone. */
  private async checkAgain(chunk: number, teamIds: readonly number[], checks: Checks) {
    const { environmentId } = this;
    const fresh = new ChunkFindings(checks);
    for (let rest = teamIds; rest.length > 0; ) {
      const groups = await readNamedGroups(environmentId, rest);
      await this.inTurns(groups, (group) => fresh.check(group));
      const last = groups.at(-1)?.team_id ?? Number.POSITIVE_INFINITY;
      rest = rest.filter((teamId) => teamId > last);
      await this.lease.keep();
    }
    const changed = new Set(teamIds);
    await this.lease.change(async (client) => {
      const merged = new ChunkFindings(checks);
      for (const finding of await readChunk(client, environmentId, chunk)) {
        merged.keep(finding, (teamId) => !changed.has(teamId));
      }
      for (const finding of fresh.found) merged.keep(finding, () => true);
      await replaceChunk(client, { environmentId, chunk, after: chunk }, merged.found);
    });
  }

  /** Finds unused groups and equal names, and counts the groups. */
  private async compare() {
    const began = performance.now();
    const groups = await this.compareUses();
    await this.compareNames();
    comparisons.set(this.environmentId, performance.now() - began);
    await this.lease.noteComparison(this.wait(), groups);
  }

  private async compareUses(): Promise<number> {
    const { first, last } = await readExtent(this.environmentId, 1);
    let [all, from] = [0, 0];
    for (let chunk = first >> CHUNK_BITS; chunk <= last >> CHUNK_BITS; chunk += CHUNKS_AT_ONCE) {
      this.mayStop();
      const to = chunk + CHUNKS_AT_ONCE - 1;
      const { groups, unused } = await readUnused(this.environmentId, chunk, to);
      await this.replace("unused", { from, to }, unused);
      [all, from] = [all + groups, to + 1];
    }
    await this.replace("unused", { from, to: LAST_CHUNK }, []);
    return all;
  }

  private async compareNames() {
    const same: number[] = [];
    for await (const teamIds of readSameNames(this.environmentId)) {
      this.mayStop();
      for (const teamId of teamIds) same.push(teamId);
      await this.lease.keep();
    }
    const chunks = byChunk(Int32Array.from(new Set(same)).sort(), (id) => id);
    const lists = chunks.map(([chunk, teamIds]): ChunkList => ({ chunk, teamIds: `{${teamIds.join()}}` }));
    let from = 0;
    for (let n = 0; n < lists.length; n += CHUNKS_AT_ONCE) {
      const part = lists.slice(n, n + CHUNKS_AT_ONCE);
      const to = part.at(-1)?.chunk ?? from;
      await this.replace("same_name", { from, to }, part);
      from = to + 1;
    }
    await this.replace("same_name", { from, to: LAST_CHUNK }, []);
  }

  private async replace(kind: "unused" | "same_name", chunks: { from: number; to: number }, lists: ChunkList[]) {
    const at = { environmentId: this.environmentId, kind, ...chunks };
    await this.lease.change((client) => replaceCompared(client, at, lists));
  }

  /** Does something with each group; others have their turns in between. */
  private async inTurns(groups: readonly CheckedGroup[], work: (group: CheckedGroup) => void) {
    for (const group of groups) {
      work(group);
      await this.yieldTurn();
      this.mayStop();
    }
  }

  private mayStop() {
    if (this.isToStop()) throw new Stopped();
  }

  /** How long to wait before the next work on this environment, in milliseconds. */
  private wait(): number {
    return Math.round(Math.max(LEAST_WAIT_MS, WAIT * (performance.now() - this.began)));
  }
}

/** Splits what is in the order of groups' numbers by their chunks. */
function byChunk<Item>(items: Iterable<Item>, numberOf: (item: Item) => number): [chunk: number, items: Item[]][] {
  const chunks: [number, Item[]][] = [];
  for (const item of items) {
    const chunk = numberOf(item) >> CHUNK_BITS;
    const last = chunks.at(-1);
    if (last?.[0] === chunk) last[1].push(item);
    else chunks.push([chunk, [item]]);
  }
  return chunks;
}

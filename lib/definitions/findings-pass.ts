import { databaseNow } from "@/lib/db/clock";
import { backgroundPool, statement, write } from "@/lib/db/pool";
import { turns } from "@/lib/db/turns";
import { compile } from "@/lib/definitions/check";
import { conditionOf } from "@/lib/definitions/conditions";
import {
  type CountedFinding,
  claimFindings,
  type Findings,
  releaseFindings,
  storeFindings,
} from "@/lib/definitions/findings";
import { ANY_NAMES, type FindingKind, filterOf, GROUP_FINDING_KINDS } from "@/lib/definitions/findings-schema";
import { meantNames } from "@/lib/definitions/meant-name";
import { NO_DEFINITIONS } from "@/lib/definitions/schema";
import { type KnownDefinitions, readDefinitions } from "@/lib/definitions/service";
import { memberTexts } from "@/lib/json/exact-json";
import { MEMBER_BYTES } from "@/lib/store/group-row";

/** Limits of a page: groups, and bytes of mapping and properties. A page has at least one group, whatever its size. */
const MAX_GROUPS = 500;
const MAX_BYTES = 4_194_304;
/**
 * Limits, as groups can choose any names: properties to count, findings to count, findings of each kind to keep,
 * and characters.
 */
const MAX_PROPERTIES = 2_000;
const MAX_COUNTED = 10_000;
const MAX_NAMES = 100;
const LONGEST_NAME = 255;
const MAX_FINDINGS = 500;
const MAX_DAYS = 90;

/** A group, and whether it has each finding about a group as a whole. */
interface Checked extends Record<(typeof GROUP_FINDING_KINDS)[number], boolean | null> {
  team_id: number;
  mapping: string;
  properties: string | null;
}

const PAGE = statement("read_checked_groups")`
  SELECT team_id, mapping, properties,
    ${GROUP_FINDING_KINDS.map((kind) => `${conditionOf({ kind, name: null }, NO_DEFINITIONS, [])} AS ${kind}`).join(",\n      ")}
  FROM (
    SELECT team_id, provided_id, name, mapping, properties, created_at,
      sum(${MEMBER_BYTES}) OVER (ORDER BY team_id) - (${MEMBER_BYTES}) AS bytes_before
    FROM user_group WHERE environment_id = $1 AND team_id > $2 ORDER BY team_id LIMIT ${MAX_GROUPS}
  ) AS g WHERE bytes_before < ${MAX_BYTES} ORDER BY team_id`;

/** Checks all groups of each environment that is due, until none is or the process stops. */
export async function workOnFindings(shouldStop: () => boolean) {
  while (!shouldStop()) {
    const claimed = await claimFindings();
    if (!claimed) return;
    let isStored = false;
    try {
      isStored = await checkAll(claimed, shouldStop);
    } finally {
      if (!isStored) await releaseFindings(claimed.environmentId);
    }
  }
}

/** Returns whether all groups were checked; if this process stops, another starts over. */
async function checkAll(
  { environmentId, before }: { environmentId: number; before: Findings | undefined },
  shouldStop: () => boolean,
): Promise<boolean> {
  const checkedAt = await databaseNow();
  const definitions = await readDefinitions(environmentId);
  const tally = new Tally(definitions);
  const yieldTurn = turns();
  for (let after = 0; ; ) {
    const groups: Checked[] = await write<Checked>(PAGE, [environmentId, after], backgroundPool);
    const last = groups.at(-1);
    if (!last) break;
    for (const group of groups) {
      tally.add(group);
      await yieldTurn();
      if (shouldStop()) return false;
    }
    after = last.team_id;
  }
  const day = checkedAt.toISOString().slice(0, 10);
  const earlier = (before?.days ?? []).filter((one) => one.day < day).slice(1 - MAX_DAYS);
  await storeFindings(environmentId, {
    version: definitions.version,
    checkedAt,
    groups: tally.groups,
    days: [...earlier, { day, groups: tally.withProblems }],
    findings: await tally.findings(yieldTurn),
  });
  return true;
}

/** Counts the findings of the groups so far. */
class Tally {
  groups = 0;
  withProblems = 0;
  /** by their filters */
  private readonly counts = new Map<string, CountedFinding>();
  /** how many groups have a finding of each kind, whatever its name */
  private readonly anyName = new Map<FindingKind, number>();
  /** how many groups have a property, by its name */
  private readonly names = new Map<string, number>();
  private readonly checker;

  constructor(private readonly definitions: KnownDefinitions) {
    this.checker = compile(definitions.document, { isWhole: true });
  }

  add(group: Checked) {
    const members = group.properties === null ? [] : memberTexts(group.properties);
    const found = [...this.checker.memberFindings(members), ...this.checker.mappingFindings(group.mapping)];
    const kinds = new Set<FindingKind>();
    for (const { kind, name } of found) {
      kinds.add(kind);
      if (kind !== "unknown_property") this.count(kind, name);
    }
    for (const kind of kinds) increase(this.anyName, kind);
    for (const [name, value] of members) {
      const isCounted = this.names.has(name) || (this.names.size < MAX_PROPERTIES && name.length <= LONGEST_NAME);
      if (value !== "null" && isCounted) increase(this.names, name);
    }
    for (const kind of GROUP_FINDING_KINDS) if (group[kind]) this.count(kind, null);
    this.groups++;
    if (found.length > 0) this.withProblems++;
  }

  /** The most frequent first. */
  async findings(yieldTurn: () => Promise<void> | undefined): Promise<CountedFinding[]> {
    await this.findNames(yieldTurn);
    for (const kind of ANY_NAMES) {
      const named = [...this.counts.values()].filter((one) => one.kind === kind).sort(byCount);
      for (const one of named.slice(MAX_NAMES)) this.counts.delete(filterOf(one));
      const count = this.anyName.get(kind) ?? 0;
      // If all of these groups share one name, its own finding says the same.
      if (count > (named[0]?.count ?? 0)) this.counts.set(kind, { kind, name: null, count, like: null });
    }
    return [...this.counts.values()].sort(byCount).slice(0, MAX_FINDINGS);
  }

  /** Finds the names of properties that are not defined, or that look misspelled. */
  private async findNames(yieldTurn: () => Promise<void> | undefined) {
    const { enforcement, properties, unknown_properties } = this.definitions.document;
    const isOff = enforcement === "off";
    const defined = isOff ? [] : Object.keys(properties);
    const isDefined = new Set(defined);
    const likeOf = meantNames(defined, this.names);
    for (const [name, count] of this.names) {
      await yieldTurn();
      if (isDefined.has(name)) continue;
      const like = likeOf(name) ?? null;
      if (like === null && (isOff || unknown_properties === "allow")) continue;
      const key = { kind: "unknown_property", name } as const;
      this.counts.set(filterOf(key), { ...key, count, like });
    }
  }

  private count(kind: FindingKind, name: string | null) {
    const filter = filterOf({ kind, name });
    const counted = this.counts.get(filter);
    if (counted) counted.count++;
    // A long name counts only in the finding without a name.
    else if (this.counts.size < MAX_COUNTED && (name ?? "").length <= LONGEST_NAME) {
      this.counts.set(filter, { kind, name, count: 1, like: null });
    }
  }
}

function byCount(one: CountedFinding, other: CountedFinding): number {
  return other.count - one.count;
}

function increase<Key>(counts: Map<Key, number>, key: Key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

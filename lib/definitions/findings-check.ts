import { type Checker, LONGEST_REPORTED } from "@/lib/definitions/check";
import { ANY_NAMES, type FindingKey, findingId, type HealthKind } from "@/lib/definitions/findings-schema";
import { memberTexts } from "@/lib/json/exact-json";
import { beginning } from "@/lib/json/excerpt";

/** A group's members, as they are stored. */
export interface CheckedGroup {
  team_id: number;
  mapping: string;
  properties: string | null;
}

/** A finding, and the groups with it, in order. */
export interface FindingList extends FindingKey {
  /** the name that a near duplicate is taken for */
  resembles: string | null;
  teamIds: number[];
}

/** What groups of one chunk are checked with. */
export interface Checks extends Pick<Checker, "memberFindings" | "mappingFindings"> {
  /** the name that a property's name is probably meant to be */
  likeOf: (name: string) => string | undefined;
}

/** The most names of a kind in a chunk. The groups with others have one finding in common: some programs use ids as names. */
const MOST_NAMES = 200;

/** The findings of the groups of a chunk. */
export class ChunkFindings {
  private readonly lists = new Map<string, FindingList>();
  private readonly names = new Map<HealthKind, number>();

  constructor(private readonly checks: Checks) {}

  /** Takes over what was found in groups that have not changed. */
  keep({ teamIds, ...finding }: FindingList, isKept: (teamId: number) => boolean) {
    for (const teamId of teamIds) if (isKept(teamId)) this.add(finding, teamId);
  }

  check({ team_id, mapping, properties }: CheckedGroup) {
    const { memberFindings, mappingFindings, likeOf } = this.checks;
    const members = properties === null ? [] : memberTexts(properties);
    for (const { kind, member, name } of memberFindings(members)) {
      this.add({ kind, member, name, resembles: null }, team_id);
    }
    for (const { kind, member, name } of mappingFindings(mapping)) {
      this.add({ kind, member, name, resembles: null }, team_id);
    }
    for (const [name, value] of members) {
      const resembles = value === "null" ? undefined : likeOf(name);
      if (resembles === undefined) continue;
      this.add(
        { kind: "near_duplicate", member: "properties", name: beginning(name, LONGEST_REPORTED), resembles },
        team_id,
      );
    }
  }

  /** The findings, each with its groups in order. */
  get found(): FindingList[] {
    return [...this.lists.values()].map(({ teamIds, ...finding }) => ({
      ...finding,
      teamIds: [...new Set(teamIds)].sort((one, other) => one - other),
    }));
  }

  private add(finding: Omit<FindingList, "teamIds">, teamId: number) {
    this.listOf(finding).teamIds.push(teamId);
  }

  private listOf(finding: Omit<FindingList, "teamIds">): FindingList {
    const id = findingId(finding);
    const known = this.lists.get(id);
    if (known) return known;
    const { kind, member } = finding;
    if (member !== "" && ANY_NAMES.has(kind)) {
      const names = this.names.get(kind) ?? 0;
      if (names >= MOST_NAMES) return this.listOf({ kind, member: "", name: "", resembles: null });
      this.names.set(kind, names + 1);
    }
    const list = { ...finding, teamIds: [] };
    this.lists.set(id, list);
    return list;
  }
}

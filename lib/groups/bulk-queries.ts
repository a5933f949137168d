import { fetchFile } from "@/lib/browser/api-client";
import type { GroupExport } from "@/lib/groups/list-schema";
import { fetchPage, type Group, type GroupPage, groupListParameters, type ListState } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";

type Query = Parameters<typeof fetchPage>[1];

/** The most groups that "all matches" can select. */
export const MAX_MATCHES = 10_000;
/** Page size when fetching all matches. */
const MATCHES_ASKED = "500";

/** All groups that a list matches now, in order of creation; undefined when there are too many. */
export async function fetchMatches(environment: string, list: ListState): Promise<GroupReference[] | undefined> {
  const matches: GroupReference[] = [];
  // In this order each group appears exactly once, even if groups change during the walk.
  const query = { ...groupListParameters({ ...list, sort: "created" }), limit: MATCHES_ASKED };
  for await (const groups of everyPage(environment, query)) {
    matches.push(...groups.map(({ teamId, providedId, name }) => ({ teamId, providedId, name })));
    if (matches.length > MAX_MATCHES) return undefined;
  }
  return matches;
}

async function* everyPage(environment: string, query: Query): AsyncGenerator<Group[]> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: GroupPage = await fetchPage(environment, { ...query, cursor });
    yield page.groups;
    cursor = page.nextCursor;
  }
}

export type ExportFormat = GroupExport["format"];

/** All groups that a list matches, as a file. */
export function exportList(
  environment: string,
  list: ListState,
  { format, signal }: { format: ExportFormat; signal: AbortSignal },
) {
  const { search, filter, state, used } = groupListParameters(list);
  const query = { search, filter, state, used, format };
  return fetchFile("/api/user-groups/export", { environment, query, signal });
}

/**
 * Groups as JSON lines in get-or-create's shape, with mapping and properties exactly as stored; missing groups
 * are left out.
 */
export async function fetchGroupLines(environment: string, teamIds: number[]): Promise<string[]> {
  const lines: string[] = [];
  for (let from = 0; from < teamIds.length; from += MAX_NAMED) {
    const named = teamIds.slice(from, from + MAX_NAMED).map(String);
    for await (const page of everyPage(environment, { team_id: named })) lines.push(...page.map(lineOf));
  }
  return lines;
}

/** The most groups that a request names. */
const MAX_NAMED = 100;

function lineOf({ providedId, name, mapping, properties }: Group): string {
  const [id, called] = [JSON.stringify(providedId), JSON.stringify(name)];
  return `{"user_group_id":${id},"name":${called},"mapping":${mapping},"properties":${properties ?? "null"}}\n`;
}

import { ranOutOfTime } from "@/lib/db/failures";
import { ORDERED_READS, transaction } from "@/lib/db/pool";
import { cursorOf, type Position, readCursor } from "@/lib/groups/cursor";
import { bodiesOf, type ListedGroup, versionsOf } from "@/lib/groups/list-fields";
import { List, placeOf, type Row, type Selection, type Total } from "@/lib/groups/list-reader";
import type { GroupListQuery, GroupSelection } from "@/lib/groups/list-schema";
import { matchOf } from "@/lib/groups/match";

export interface ListedPage {
  rows: ListedGroup[];
  previousCursor: string | null;
  nextCursor: string | null;
  /** number of matching groups; a large one is an estimate */
  total: Total;
}

/** Limit of a page's mappings and properties; the first group is on it whatever its size. */
const MAX_BYTES = 4_194_304;
/**
 * A page of an environment's groups, in either direction from a cursor. It ends early at its limit of bytes, or when
 * finding more matches would take too long.
 * @throws {AppError} `invalid_fields` for an invalid cursor
 */
export async function listGroups(environmentId: number, query: GroupListQuery): Promise<ListedPage> {
  const scope = { environmentId, sort: query.sort };
  const from = query.cursor === undefined ? undefined : readCursor(query.cursor, scope);
  const match = await matchOf(environmentId, query);
  const selection: Selection = { ...scope, query, match, limit: query.limit };
  return reading(selection, (list) => readPage(list, from, selection));
}

/**
 * The next groups that match, with their versions, by number, after the number `after`; `next` is where to continue,
 * undefined at the end.
 */
export async function matchingGroups(
  environmentId: number,
  selection: GroupSelection,
  { after, limit }: { after: number; limit: number },
) {
  const query: GroupListQuery = { ...selection, sort: "team_id", limit };
  const match = await matchOf(environmentId, selection);
  return reading({ environmentId, sort: query.sort, query, match, limit }, async (list) => {
    const { rows, stoppedAt } = await list.page({ key: null, teamId: after, backward: false });
    const shown = rows.slice(0, limit);
    return {
      groups: await versionsOf(list, shown),
      next: rows.length > limit ? shown.at(-1)?.team_id : stoppedAt?.teamId,
    };
  });
}

async function reading<T>(selection: Selection, work: (list: List) => Promise<T>): Promise<T> {
  const read = (isHasty: boolean) =>
    transaction((client) => work(new List(client, { ...selection, isHasty })), ORDERED_READS);
  try {
    return await read(false);
  } catch (error) {
    if (!selection.match || !ranOutOfTime(error)) throw error;
    return read(true);
  }
}

async function readPage(list: List, from: Position | undefined, { limit, ...scope }: Selection): Promise<ListedPage> {
  let found = await list.page(from);
  let shown = cut(found.rows, limit);
  let isFirst = from === undefined;
  if (from?.backward && !found.stoppedAt && shown.length === found.rows.length) {
    // Near the beginning: return the whole first page instead of the rows left before the cursor.
    found = await list.page(undefined);
    shown = cut(found.rows, limit);
    isFirst = true;
  }
  const hasMore = found.rows.length > shown.length || found.stoppedAt !== undefined;
  const backward = !isFirst && from?.backward === true;
  // Where reading ended: at the last row shown or, if all rows were shown, where the search for more stopped.
  const end = found.rows.length > shown.length ? placeOf(shown.at(-1)) : (found.stoppedAt ?? placeOf(shown.at(-1)));
  const begin = placeOf(shown[0]) ?? end;
  const [before, after] = backward ? [end, begin] : [begin, end];
  const cursor = (place: Omit<Position, "backward"> | undefined, back: boolean) => {
    // The cursors of an empty page include the row that led to it.
    const at = place ?? (from && { ...from, isIncluded: true });
    return at ? cursorOf(scope, { ...at, backward: back }) : null;
  };
  const isWhole = isFirst && !hasMore;
  return {
    rows: await bodiesOf(list, backward ? shown.reverse() : shown),
    previousCursor: isFirst ? null : cursor(before, true),
    nextCursor: backward || hasMore ? cursor(after, false) : null,
    total: isWhole ? { count: shown.length, exact: true } : (found.total ?? (await list.count())),
  };
}

/** The rows that fit on a page. */
function cut(rows: Row[], limit: number): Row[] {
  let bytes = 0;
  const large = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return bytes > MAX_BYTES && index > 0;
  });
  return rows.slice(0, large === -1 ? limit : Math.min(large, limit));
}

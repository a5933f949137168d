import { recordExport } from "@/lib/audit/export";
import type { Author } from "@/lib/authority/authority";
import { ORDERED_READS, transaction } from "@/lib/db/pool";
import type { ListedGroup } from "@/lib/groups/list-fields";
import type { GroupExport } from "@/lib/groups/list-schema";
import { type Match, matchOf } from "@/lib/groups/match";
import { writeCsv } from "@/lib/json/csv";
import { rawJson, writeJson } from "@/lib/json/raw-json";
import { MEMBER_BYTES, shownState } from "@/lib/store/group-row";

/** A statement's limits: groups, and bytes of mapping and properties. */
const MAX_GROUPS = 2_000;
const MAX_BYTES = 4_194_304;

const COLUMNS = "provided_id, name, mapping, properties, created_at, updated_at, access_ends_at";

/** A group in a file, without its token. */
type ExportedGroup = Pick<
  ListedGroup,
  "provided_id" | "name" | "mapping" | "properties" | "created_at" | "updated_at" | "state" | "access_ends_at"
> & { active_viewers: number };

/** SQL: a group's active viewers of this month so far, for a row g. */
const ACTIVE_VIEWERS = `coalesce((SELECT active_viewers FROM group_use_month m
  WHERE m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date AND m.team_id = g.team_id), 0)`;

/** How each format writes its head and its rows. */
const WRITERS: Record<GroupExport["format"], { head: string; write(groups: ExportedGroup[]): string }> = {
  csv: {
    // Without a BOM, spreadsheets misread UTF-8 and write the damage back.
    head: "\uFEFFuser_group_id,name,mapping,properties,created_at,updated_at,state,access_ends_at,active_viewers\r\n",
    write: (groups) =>
      writeCsv(
        groups.map(({ provided_id, name, mapping, properties, state, ...group }) => [
          provided_id,
          name,
          mapping,
          properties ?? "null",
          group.created_at.toISOString(),
          group.updated_at.toISOString(),
          state,
          group.access_ends_at?.toISOString() ?? "",
          String(group.active_viewers),
        ]),
      ),
  },
  jsonl: { head: "", write: (groups) => groups.map(writeLine).join("") },
};

function writeLine({ provided_id, mapping, properties, ...group }: ExportedGroup): string {
  const { name, created_at, updated_at, state, access_ends_at } = group;
  return `${writeJson({
    user_group_id: provided_id,
    name,
    mapping: rawJson(mapping),
    properties: rawJson(properties ?? "null"),
    created_at,
    updated_at,
    state,
    access_ends_at,
  })}\n`;
}

/**
 * Exports the matching groups in order of creation, as pieces of a file, and records the export. No statement spans two
 * pieces, so a reader can be arbitrarily slow; a group that exists throughout appears in the file exactly once.
 */
export async function exportGroups(
  environmentId: number,
  query: GroupExport,
  author: Author,
): Promise<AsyncGenerator<string>> {
  await recordExport(environmentId, "user_groups.exported", query, author);
  return pieces({ environmentId, match: await matchOf(environmentId, query), format: query.format });
}

interface Selection {
  environmentId: number;
  match: Match | undefined;
}

async function* pieces({ format, ...selection }: Selection & Pick<GroupExport, "format">): AsyncGenerator<string> {
  const { head, write: text } = WRITERS[format];
  const active = format === "csv" ? ACTIVE_VIEWERS : "0";
  let page = await readPage(selection, 0, active);
  yield head + text(page.groups);
  while (page.last !== null) {
    page = await readPage(selection, page.last, active);
    yield text(page.groups);
  }
}

/**
 * The groups after a number, and the number of the last one examined, null at the end; `active` is SQL for their active
 * viewers.
 */
function readPage({ environmentId, match }: Selection, after: number, active: string) {
  const values: unknown[] = [environmentId, after];
  const matches = match?.asCase(values) ?? "true";
  // The first group is read whatever its size. Of groups that do not match, only what the conditions need is read.
  const text = `
    WITH walked AS MATERIALIZED (
      SELECT * FROM (
        SELECT team_id, ${COLUMNS}, state,
          sum(${MEMBER_BYTES}) OVER (ORDER BY team_id) - (${MEMBER_BYTES}) AS bytes_before
        FROM user_group WHERE environment_id = $1 AND team_id > $2 ORDER BY team_id LIMIT ${MAX_GROUPS}
      ) AS next WHERE bytes_before < ${MAX_BYTES}
    )
    SELECT last, found.* FROM (SELECT max(team_id) AS last FROM walked) AS all_walked
    LEFT JOIN (
      SELECT team_id, ${COLUMNS}, ${shownState("g")} AS state, ${active} AS active_viewers
      FROM walked AS g WHERE ${matches}
    ) AS found ON true ORDER BY team_id`;
  return transaction(async (client) => {
    const { rows } = await client.query<ExportedGroup & { last: number | null; team_id: number | null }>(text, values);
    return { groups: rows.filter(({ team_id }) => team_id !== null), last: rows[0]?.last ?? null };
  }, ORDERED_READS);
}

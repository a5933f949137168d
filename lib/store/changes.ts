import type pg from "pg";
import {
  type Author,
  authorValues,
  CHECKED_AUTHOR_COLUMNS,
  checkingWithDefinitions,
  recording,
} from "@/lib/authority/authority";
import { type Statement, statement, writeText } from "@/lib/db/pool";
import type { TextRow } from "@/lib/db/text-query";
import { type GroupRow, groupText, readGroup, snapshot } from "@/lib/store/group-row";
import { API_TOKEN_TEXT } from "@/lib/store/look-up";
import { isReserved } from "@/lib/store/renames";
import { type Authored, shareWrites } from "@/lib/store/shared-writes";

// Changes of groups. Each statement takes any number of changes, as arrays of columns, and records each. Concurrent
// changes share a statement: a commit waits for the disk, and ten changes cost little more than one.

export interface GroupInsert {
  environmentId: number;
  providedId: string;
  name: string;
  mapping: string;
  properties: string | null;
  tokenIndex: Buffer;
  tokenSealed: Buffer;
  /** RFC 3339; null for never */
  accessEndsAt: string | null;
  /**
   * of the definitions that the group was checked against, which must still be current; null in a transaction that
   * keeps them current
   */
  definitionsVersion: number | null;
}

export interface GroupChange extends Pick<GroupInsert, "environmentId" | "providedId"> {
  name?: string | undefined;
  mapping?: string | undefined;
  /** undefined leaves them unchanged, null clears them */
  properties?: string | null | undefined;
  /** RFC 3339; undefined leaves it unchanged, null clears it */
  accessEndsAt?: string | null | undefined;
  /** the entity tags to replace; undefined for any */
  tags?: string[] | undefined;
  /** as in {@link GroupInsert} */
  definitionsVersion?: number | null;
  /** the author's API token as {@link API_TOKEN_TEXT}; if its row has changed since, the group counts as not found */
  remembered?: string | undefined;
}

export const authorTypes = (first: number) =>
  `$${first}::actor_type[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[], $${first + 4}::text[]`;

/**
 * The first column, in a form that hides the number of changes from the planner: for a single change it would prefer a
 * custom plan, and plan each time (0.6 ms).
 */
export const UNCOUNTED = "(SELECT $1::int[])";

const CREATE_GROUPS = statement("create_groups")`
    WITH asked AS (
      SELECT * FROM unnest(${UNCOUNTED}, $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::bytea[],
        $8::timestamptz[], $9::int[], ${authorTypes(10)})
        AS q(environment_id, provided_id, name, mapping, properties, token_index, token_sealed, access_ends_at,
          definitions_version, ${CHECKED_AUTHOR_COLUMNS})
    ), created AS (
      INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed,
        access_ends_at)
      SELECT environment_id, provided_id, name, mapping, properties, token_index, token_sealed,
        access_ends_at
      FROM asked WHERE NOT ${isReserved("asked")} ORDER BY environment_id, provided_id
      ON CONFLICT (environment_id, provided_id) DO NOTHING
      RETURNING *
    ), ${checkingWithDefinitions("created JOIN asked USING (environment_id, token_index)", "groups:create")},
    ${recording({
      columns: "environment_id, team_id, action, after",
      values: `created.environment_id, created.team_id, 'user_group.created', ${snapshot("created")}`,
      rows: "created JOIN asked USING (token_index)",
    })}
    SELECT token_index, team_id, version FROM created, checked`;

// `was` takes the row lock, so that it reads exactly the values that the update replaces. It carries all that the later
// parts need: each join costs more than the columns it spares.
const updating = (lock: string) => `
    WITH asked AS (
      SELECT * FROM unnest(${UNCOUNTED}, $2::text[], $3::text[], $4::text[], $5::bool[], $6::text[], $7::bool[],
        $8::timestamptz[], $9::int[], $10::text[], ${authorTypes(11)}) WITH ORDINALITY
        AS q(environment_id, provided_id, new_name, new_mapping, sets_properties, new_properties, sets_end, new_end,
          definitions_version, remembered, ${CHECKED_AUTHOR_COLUMNS}, n)
      -- CASE: the actor_id of a member is no number.
      WHERE CASE WHEN remembered IS NULL THEN true
        ELSE remembered = (SELECT ${API_TOKEN_TEXT} FROM api_token t WHERE t.id = actor_id::int) END
    ), was AS (
      SELECT g.*, coalesce(new_name, g.name) AS new_name, coalesce(new_mapping, g.mapping) AS new_mapping,
        CASE WHEN sets_properties THEN new_properties ELSE g.properties END AS new_properties,
        CASE WHEN sets_end THEN new_end ELSE g.access_ends_at END AS new_end,
        $16::text[] IS NULL OR g.team_id || '-' || g.version = ANY ($16) AS matches,
        definitions_version, ${CHECKED_AUTHOR_COLUMNS}, n
      FROM user_group g JOIN asked USING (environment_id, provided_id) ${lock}
    ), ${checkingWithDefinitions("was", "groups:write")}, changed AS (
      UPDATE user_group g SET name = new_name, mapping = new_mapping, properties = new_properties,
        access_ends_at = new_end, version = was.version + 1, updated_at = now(),
        gen = was.gen + CASE WHEN new_end < coalesce(was.access_ends_at, 'infinity') THEN 1 ELSE 0 END
      FROM was WHERE matches AND g.environment_id = was.environment_id AND g.team_id = was.team_id
        AND (was.name, was.mapping, was.properties, was.access_ends_at)
          IS DISTINCT FROM (new_name, new_mapping, new_properties, new_end)
      RETURNING g.*, n
    ), ${recording({
      columns: "environment_id, team_id, action, before, after",
      values: `changed.environment_id, changed.team_id, 'user_group.updated', ${snapshot("was")},
        ${snapshot("changed")}`,
      rows: "changed JOIN was USING (n)",
    })}
    SELECT n, ${groupText("changed")}, 'changed' FROM changed
    UNION ALL
    SELECT n, ${groupText("was")}, CASE WHEN matches THEN 'same' ELSE 'stale' END
    FROM was, checked WHERE NOT EXISTS (SELECT FROM changed WHERE changed.n = was.n)`;

/** A single change waits for its row's lock. */
export const WAITING = "FOR UPDATE OF g";
/** One of several changes skips a locked row. */
export const SKIPPING = "FOR UPDATE OF g SKIP LOCKED";

const UPDATE_GROUP = statement("update_group")`${updating(WAITING)}`;
/** Changes that wait for their rows' locks, in one order, so that they cannot deadlock. */
const UPDATE_GROUPS_IN_ORDER = statement("update_groups_in_order")`${updating(`ORDER BY g.team_id ${WAITING}`)}`;
const UPDATE_GROUPS = statement("update_groups")`${updating(SKIPPING)}`;

type Created = { teamId: number; version: number } | undefined;
export type Updated = (GroupRow & { accepted: boolean; changed: boolean }) | undefined;

/** Creates the group and records it; undefined when another call has just created it. */
export function insertGroup(change: GroupInsert, author: Author): Promise<Created> {
  return creations({ change, author });
}

/** Updates a group, records an actual change, and returns the current row; `accepted` says whether its tag matched. */
export function changeGroup(change: GroupChange, author: Author): Promise<Updated> {
  return change.tags ? updateAlone({ change, author }) : updates({ change, author });
}

/** The values of changes and their authors, as a statement's columns. */
export function columns<Change>(changes: Authored<Change>[], valuesOf: (change: Change) => unknown[]): unknown[][] {
  const rows = changes.map(({ change, author }) => [...valuesOf(change), ...authorValues(author)]);
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}

/** The change with the number in a row's first column. */
export function changeOfRow<Change>(changes: Authored<Change>[], [n]: TextRow): Authored<Change> {
  const one = changes[Number(n) - 1];
  if (!one) throw new Error("a statement answered for a change that it was not given");
  return one;
}

/** Backdates the creation and the last change of sample groups; needs the database's owner. */
export const ageGroups = (
  client: pg.ClientBase,
  { teamIds, times }: { teamIds: (number | undefined)[]; times: (readonly [created: Date, updated: Date])[] },
) =>
  client.query(
    `UPDATE user_group g SET created_at = made.created, updated_at = made.updated, rotated_at = made.created
     FROM unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) AS made(team_id, created, updated)
     WHERE g.team_id = made.team_id`,
    [teamIds, times.map(([created]) => created), times.map(([, updated]) => updated)],
  );

/** Creates and records each group that does not exist; on `client` within its transaction. */
export async function insertGroups(
  changes: Authored<GroupInsert>[],
  client?: pg.ClientBase,
): Promise<Map<Authored<GroupInsert>, Created>> {
  const values = columns(changes, (group) => {
    const { environmentId, providedId, name, mapping, properties, tokenIndex, tokenSealed, accessEndsAt } = group;
    return [
      environmentId,
      providedId,
      name,
      mapping,
      properties,
      tokenIndex,
      tokenSealed,
      accessEndsAt,
      group.definitionsVersion,
    ];
  });
  const byIndex = new Map(changes.map((one) => [`\\x${one.change.tokenIndex.toString("hex")}`, one]));
  // Groups that were not created already existed.
  const created = new Map<Authored<GroupInsert>, Created>(changes.map((one) => [one, undefined]));
  for (const [index, teamId, version] of await writeText(CREATE_GROUPS, values, client)) {
    const one = byIndex.get(index ?? "");
    if (one) created.set(one, { teamId: Number(teamId), version: Number(version) });
  }
  return created;
}

const creations = shareWrites<GroupInsert, Created>({
  size: ({ mapping, properties }) => mapping.length + (properties?.length ?? 0),
  alone: async (change) => (await insertGroups([change])).get(change),
  together: (changes) => insertGroups(changes),
});

async function updateAll(statement: Statement, changes: Authored<GroupChange>[], client?: pg.ClientBase) {
  const isTagged = changes.some(({ change }) => change.tags);
  const tags = isTagged ? changes.flatMap(({ change }) => change.tags ?? []) : undefined;
  const values = columns(changes, (change) => {
    const { environmentId, providedId, name, mapping, properties, accessEndsAt, definitionsVersion, remembered } =
      change;
    return [
      environmentId,
      providedId,
      name,
      mapping,
      properties !== undefined,
      properties,
      accessEndsAt !== undefined,
      accessEndsAt,
      definitionsVersion,
      remembered,
    ];
  });
  const updated = new Map<Authored<GroupChange>, Updated>();
  for (const row of await writeText(statement, [...values, tags], client)) {
    const one = changeOfRow(changes, row);
    const outcome = row.at(-1);
    const group = readGroup(one.change.environmentId, row, 1);
    updated.set(one, { accepted: outcome !== "stale", changed: outcome === "changed", ...group });
  }
  return updated;
}

/** Updates each existing group with a matching tag, like {@link changeGroup}, in `client`'s transaction. */
export function changeGroups(changes: Authored<GroupChange>[], client: pg.ClientBase) {
  return updateAll(UPDATE_GROUPS_IN_ORDER, changes, client);
}

async function updateAlone(update: Authored<GroupChange>): Promise<Updated> {
  return (await updateAll(UPDATE_GROUP, [update])).get(update);
}

const updates = shareWrites<GroupChange, Updated>({
  keyOf: ({ environmentId, providedId }) => `${environmentId} ${providedId}`,
  size: ({ mapping, properties }) => (mapping?.length ?? 0) + (properties?.length ?? 0),
  alone: updateAlone,
  together: (changes) => updateAll(UPDATE_GROUPS, changes),
});

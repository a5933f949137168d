import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { read, statement, write } from "@/lib/db/pool";

// What concerns the views of a group's dashboards: ending them, and where they may be embedded.

// A trigger tells pollers of revocations.
const END_VIEWS = statement("end_views")`
  WITH was AS (
    SELECT environment_id, team_id, gen FROM user_group WHERE environment_id = $1 AND provided_id = $2 FOR UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "groups:write")}, changed AS (
    UPDATE user_group g SET gen = was.gen + 1
    FROM was WHERE g.environment_id = was.environment_id AND g.team_id = was.team_id
      RETURNING g.environment_id, g.team_id, g.gen
  ), ${recording({
    columns: "environment_id, team_id, action",
    values: "environment_id, team_id, 'user_group.views_ended'",
    rows: `changed CROSS JOIN ${authorFrom(3)}`,
  })}
  SELECT team_id, gen FROM changed, checked`;

/** A group, and the lowest generation of viewer tokens that are valid for it. */
export interface Generation {
  team_id: number;
  gen: number;
}

/** Revokes all viewer tokens of a group and records it; undefined when it does not exist. */
export async function endViews(
  environmentId: number,
  providedId: string,
  author: Author,
): Promise<Generation | undefined> {
  return (await write<Generation>(END_VIEWS, [environmentId, providedId, ...authorValues(author)]))[0];
}

const originsOf = (row: string) => `json_build_object('allowed_origins', ${row}.allowed_origins)::text`;

const SET_ORIGINS = statement("set_origins")`
  WITH was AS (
    SELECT * FROM user_group WHERE environment_id = $1 AND provided_id = $2 FOR UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(4)}`, "groups:write")}, changed AS (
    UPDATE user_group g SET allowed_origins = $3::text[]
    FROM was WHERE g.environment_id = was.environment_id AND g.team_id = was.team_id
      AND was.allowed_origins IS DISTINCT FROM $3::text[]
    RETURNING g.*
  ), ${recording({
    columns: "environment_id, team_id, action, before, after",
    values: `changed.environment_id, changed.team_id, 'user_group.origins_changed', ${originsOf("was")},
      ${originsOf("changed")}`,
    rows: `changed JOIN was USING (environment_id, team_id) CROSS JOIN ${authorFrom(4)}`,
  })}
  SELECT $3::text[] AS own, (SELECT e.allowed_origins FROM environment e
    WHERE e.id = was.environment_id) AS environment
  FROM was, checked`;

const FIND_ORIGINS = statement("find_origins")`
  SELECT g.allowed_origins AS own, e.allowed_origins AS environment
  FROM user_group g JOIN environment e ON e.id = g.environment_id WHERE g.environment_id = $1 AND g.provided_id = $2`;

/** Where a group's dashboards may be embedded. */
export interface Origins {
  /** null for the environment's */
  own: string[] | null;
  /** null for anywhere */
  environment: string[] | null;
}

/** Sets a group's origins, and records a change; undefined when the group does not exist. */
export async function setOrigins(
  place: { environmentId: number; providedId: string },
  origins: string[] | null,
  author: Author,
): Promise<Origins | undefined> {
  const values = [place.environmentId, place.providedId, origins, ...authorValues(author)];
  return (await write<Origins>(SET_ORIGINS, values))[0];
}

/** A group's origins; undefined when it does not exist. */
export async function findOrigins(environmentId: number, providedId: string): Promise<Origins | undefined> {
  return (await read<Origins>(FIND_ORIGINS, [environmentId, providedId]))[0];
}

import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { viewerKeyOf } from "@/lib/crypto/viewer-key";
import { read, statement, write } from "@/lib/db/pool";
import { AppError, invalidFields } from "@/lib/errors";
import { timeText } from "@/lib/store/group-row";

// Views of a group's dashboards: ending them, and where they may be embedded.

// A trigger records the revocation for pollers.
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

const KEY_TEXT = "translate(rtrim(encode(viewer_key, 'base64'), '='), '+/', '-_')";

// One row per transaction: the list of revocations is paged by transaction number and team id. Tokens minted in the
// second of the previous end are dated to the next, which this end includes. A block reaches 2 s further, for mints
// that do not see it yet. The lock keeps the group until the end is recorded: the history must end with its deletion.
const IN_RANGE = "($4::timestamptz > now() AND $4 <= now() + interval '1 year') IS NOT FALSE";
const END_VIEWER = statement("end_viewer")`
  WITH was AS (
    SELECT environment_id, team_id FROM user_group WHERE environment_id = $1 AND provided_id = $2 FOR KEY SHARE
  ), ${checking(`was CROSS JOIN ${authorFrom(5)}`, "groups:write")}, ended AS (
    INSERT INTO viewer_revocation AS r (team_id, environment_id, viewer_key, gen, before, blocked_until, at)
    SELECT team_id, environment_id, ${viewerKeyOf("$3::bytea", "was")}, 0,
      clock_timestamp() + CASE WHEN $4::timestamptz IS NULL THEN interval '0' ELSE interval '2 seconds' END, $4,
      greatest(now(), $4 - interval '25 hours')
    FROM was, checked WHERE ${IN_RANGE}
    ON CONFLICT (team_id, viewer_key) DO UPDATE SET
      before = greatest(excluded.before, date_trunc('second', r.before) + interval '1 second'),
      blocked_until = excluded.blocked_until, at = excluded.at, xid = excluded.xid
    -- Far ahead is a clock that was wrong.
    WHERE r.before - clock_timestamp() NOT BETWEEN interval '10 seconds' AND interval '1 minute'
    RETURNING environment_id, team_id, viewer_key, before, blocked_until
  ), ${recording({
    columns: "environment_id, team_id, action, after",
    values: `environment_id, team_id, 'user_group.viewer_ended', json_strip_nulls(json_build_object(
      'viewer_key', ${KEY_TEXT}, 'blocked_until', ${timeText("blocked_until")}))::text`,
    rows: `ended CROSS JOIN ${authorFrom(5)}`,
  })}
  SELECT was.team_id, viewer_key, before, ${IN_RANGE} AS is_in_range FROM was LEFT JOIN ended USING (team_id), checked`;

/** A person whose views of a group were ended. */
export interface EndedViewer {
  team_id: number;
  viewer_key: Buffer;
  /** viewer tokens of its second and earlier ones are revoked */
  before: Date;
}

interface ViewerEnding {
  environmentId: number;
  providedId: string;
  /** the viewer's keyed hash */
  viewer: Buffer;
  /** until when no tokens are minted for them, at most a year from now */
  blockedUntil: Date | null;
}

/**
 * Revokes the viewer tokens of one person and records it; undefined when the group does not exist.
 * @throws {AppError} `invalid_fields` for a block that is not within a year, by the database's clock; `rate_limited`
 * after about ten ends within a second
 */
export async function endViewer(
  { environmentId, providedId, viewer, blockedUntil }: ViewerEnding,
  author: Author,
): Promise<EndedViewer | undefined> {
  const values = [environmentId, providedId, viewer, blockedUntil, ...authorValues(author)];
  const [row] = await write<EndedViewer & { is_in_range: boolean }>(END_VIEWER, values);
  if (row?.viewer_key !== null) return row;
  // Each end reaches a second further: tokens dated far ahead would be refused by verifiers.
  if (row.is_in_range) {
    const headers = { "Retry-After": "1" };
    throw new AppError("rate_limited", "This person's views are ended too often. Try again in 1 s.", { headers });
  }
  throw invalidFields([{ path: ["blocked_until"], message: "must be later than now, and at most a year from now" }]);
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

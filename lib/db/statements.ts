import DataLoader from "dataloader";
import { read, type Statement, write } from "@/lib/db/pool";
import { unavailable } from "@/lib/errors";
import { processWide } from "@/lib/process-wide";

// The statements of the hot path, prepared by name. Everything else goes through Prisma (lib/db/prisma.ts).

/** Statements that may be under way before further look-ups wait to share the next one. */
const LOOK_UPS_IN_FLIGHT = 2;
const LARGEST_BATCH = 500;
/** Full batches that may wait, before the rest are turned away at once. */
const MAX_WAITING = 4;

export interface GroupRow {
  team_id: number;
  environment_id: number;
  provided_id: string;
  name: string;
  properties: string | null;
  token_index: Buffer;
  token_sealed: Buffer;
  version: number;
}

/** An API token that is valid now, with its environment. */
interface ApiTokenRow {
  api_token_id: number;
  api_token_name: string;
  access: "read" | "write";
  environment_id: number;
  slug: string;
  tag: "Customer" | "Testing";
}

/** The group a request is about, by the id its caller gave or by the keyed hash of its token. */
export type GroupKey = { providedId: string } | { tokenIndex: Buffer };

interface LookUp {
  credential: Buffer;
  group: GroupKey | undefined;
}

/** What a look-up found: nothing when the credential is not valid. */
export type Found = { apiToken: ApiTokenRow; group: GroupRow | undefined } | undefined;

/** Who changes a group, as the history records it. */
export interface Author {
  actorType: "api_token" | "member" | "operator";
  actorId: string | null;
  actorName: string;
  requestId: string | null;
}

export const GROUP_COLUMNS =
  "team_id, environment_id, provided_id, name, properties, token_index, token_sealed, version";
export const AUTHOR_COLUMNS = "actor_type, actor_id, actor_name, request_id";

/** A group as the history keeps it: text again, so that it stays as exact as the columns; the token by a fingerprint. */
export const snapshot = (row: string) =>
  `'{"provided_id":' || to_json(${row}.provided_id) || ',"name":' || to_json(${row}.name) || ',"mapping":' || ${row}.mapping || ',"properties":' || coalesce(${row}.properties, 'null')
    || ',"token_fingerprint":"' || encode(substring(${row}.token_index FOR 8), 'hex') || '"}'`;

const lookUpBy = (column: "provided_id" | "token_index", type: "text" | "bytea"): Statement => ({
  name: `look_up_by_${column}`,
  text: `
    SELECT q.n::int, t.id AS api_token_id, t.name AS api_token_name, t.access, e.id AS environment_id, e.slug, e.tag,
      g.team_id, g.provided_id, g.name, g.properties, g.token_index, g.token_sealed, g.version
    FROM unnest($1::bytea[], $2::${type}[]) WITH ORDINALITY AS q(credential, ${column}, n)
    JOIN api_token t ON t.token_index = q.credential AND t.revoked_at IS NULL
      AND (t.expires_at IS NULL OR t.expires_at > now())
    JOIN environment e ON e.id = t.environment_id
    LEFT JOIN user_group g ON g.environment_id = t.environment_id AND g.${column} = q.${column}`,
});

const LOOK_UP_BY_ID = lookUpBy("provided_id", "text");
const LOOK_UP_BY_TOKEN = lookUpBy("token_index", "bytea");

const findBy = (column: "provided_id" | "token_index"): Statement => ({
  name: `find_group_by_${column}`,
  text: `SELECT ${GROUP_COLUMNS} FROM user_group WHERE environment_id = $1 AND ${column} = $2`,
});

const FIND_BY_ID = findBy("provided_id");
const FIND_BY_TOKEN = findBy("token_index");

const CREATE_GROUP: Statement = {
  name: "create_group",
  text: `
    WITH created AS (
      INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (environment_id, provided_id) DO NOTHING
      RETURNING *
    ), recorded AS (
      INSERT INTO audit_entry (environment_id, team_id, action, after, ${AUTHOR_COLUMNS})
      SELECT environment_id, team_id, 'user_group.created', ${snapshot("created")}, $8, $9, $10, $11 FROM created
    )
    SELECT ${GROUP_COLUMNS} FROM created`,
};

// `was` takes the row lock, so the values it reads are the very ones that the update replaces.
const UPDATE_GROUP: Statement = {
  name: "update_group",
  text: `
    WITH was AS (
      SELECT * FROM user_group WHERE environment_id = $1 AND provided_id = $2 FOR UPDATE
    ), wanted AS (
      SELECT coalesce($3, name) AS name, coalesce($4, mapping) AS mapping,
        CASE WHEN $5 THEN $6 ELSE properties END AS properties
      FROM was WHERE $7::text[] IS NULL OR team_id || '-' || version = ANY ($7)
    ), changed AS (
      UPDATE user_group g SET name = wanted.name, mapping = wanted.mapping, properties = wanted.properties,
        version = was.version + 1, updated_at = now()
      FROM was, wanted
      WHERE g.team_id = was.team_id
        AND (was.name, was.mapping, was.properties) IS DISTINCT FROM (wanted.name, wanted.mapping, wanted.properties)
      RETURNING g.*
    ), recorded AS (
      INSERT INTO audit_entry (environment_id, team_id, action, before, after, ${AUTHOR_COLUMNS})
      SELECT changed.environment_id, changed.team_id, 'user_group.updated', ${snapshot("was")}, ${snapshot("changed")},
        $8, $9, $10, $11 FROM changed, was
    )
    SELECT ${GROUP_COLUMNS}, true AS accepted FROM changed
    UNION ALL
    SELECT ${GROUP_COLUMNS}, EXISTS (SELECT FROM wanted) FROM was WHERE NOT EXISTS (SELECT FROM changed)`,
};

/** Swaps the token if it is still the one the caller holds: of any number at once exactly one finds it so. */
export const ROTATE_TOKEN: Statement = {
  name: "rotate_token",
  text: `
    WITH was AS (
      SELECT * FROM user_group WHERE team_id = $1 AND token_index = ANY ($2) FOR UPDATE
    ), changed AS (
      UPDATE user_group g SET token_index = $3, token_sealed = $4, version = was.version + 1, rotated_at = now()
      FROM was WHERE g.team_id = was.team_id
      RETURNING g.*
    ), recorded AS (
      INSERT INTO audit_entry (environment_id, team_id, action, before, after, ended_token, ${AUTHOR_COLUMNS})
      SELECT changed.environment_id, changed.team_id, 'user_group.token_rotated', ${snapshot("was")}, ${snapshot("changed")},
        substring(was.token_index FOR 8), $5, $6, $7, $8 FROM changed, was
    )
    SELECT ${GROUP_COLUMNS} FROM changed`,
};

/**
 * Finds an API token by the keyed hash of it, and in the same statement the group its request is about.
 * Concurrent calls share a statement: while two are under way, the next ones gather.
 */
export function lookUp(credential: Buffer, group: GroupKey | undefined): Promise<Found> {
  return (group && "tokenIndex" in group ? byToken : byId)({ credential, group });
}

/** A group of the environment, as it is now. */
export async function findGroup(environmentId: number, key: GroupKey): Promise<GroupRow | undefined> {
  const rows =
    "tokenIndex" in key
      ? await read<GroupRow>(FIND_BY_TOKEN, [environmentId, key.tokenIndex])
      : await read<GroupRow>(FIND_BY_ID, [environmentId, key.providedId]);
  return rows[0];
}

export interface NewGroup {
  environmentId: number;
  providedId: string;
  name: string;
  mapping: string;
  properties: string | null;
  tokenIndex: Buffer;
  tokenSealed: Buffer;
}

/** Creates the group and records it; nothing, when another call has just created it. */
export async function createGroup(group: NewGroup, author: Author): Promise<GroupRow | undefined> {
  const { environmentId, providedId, name, mapping, properties, tokenIndex, tokenSealed } = group;
  const values = [environmentId, providedId, name, mapping, properties, tokenIndex, tokenSealed];
  return (await write<GroupRow>(CREATE_GROUP, [...values, ...authorValues(author)]))[0];
}

export interface GroupChange {
  environmentId: number;
  providedId: string;
  name: string | undefined;
  mapping: string | undefined;
  /** undefined leaves them as they are, null clears them */
  properties: string | null | undefined;
  /** the entity tags that may be replaced; undefined for any */
  tags: string[] | undefined;
}

/** Updates a group, records it if that changed anything, and gives the row as it stands then; `accepted` says whether its tag was among those asked for. */
export async function updateGroup(
  change: GroupChange,
  author: Author,
): Promise<(GroupRow & { accepted: boolean }) | undefined> {
  const { environmentId, providedId, name, mapping, properties, tags } = change;
  const values = [environmentId, providedId, name, mapping, properties !== undefined, properties, tags];
  return (await write<GroupRow & { accepted: boolean }>(UPDATE_GROUP, [...values, ...authorValues(author)]))[0];
}

export interface TokenSwap {
  teamId: number;
  /** the keyed hashes of the token that is to go, under each usable key */
  oldIndexes: Buffer[];
  newIndex: Buffer;
  newSealed: Buffer;
}

/** The values of {@link ROTATE_TOKEN}. */
export function rotationValues({ teamId, oldIndexes, newIndex, newSealed }: TokenSwap, author: Author): unknown[] {
  return [teamId, oldIndexes, newIndex, newSealed, ...authorValues(author)];
}

/** The values of {@link AUTHOR_COLUMNS}. */
export function authorValues({ actorType, actorId, actorName, requestId }: Author): unknown[] {
  return [actorType, actorId, actorName, requestId];
}

const byId = processWide("look-up by id", () =>
  gather(LOOK_UP_BY_ID, (key) => (key && "providedId" in key ? key.providedId : null)),
);
const byToken = processWide("look-up by token", () =>
  gather(LOOK_UP_BY_TOKEN, (key) => (key && "tokenIndex" in key ? key.tokenIndex : null)),
);

type LookUpRow = ApiTokenRow & Omit<GroupRow, "team_id"> & { n: number; team_id: number | null };

function gather(statement: Statement, groupValue: (key: GroupKey | undefined) => string | Buffer | null) {
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  const loader = new DataLoader<LookUp, Found>(
    async (keys) => {
      inFlight++;
      try {
        const values = [keys.map(({ credential }) => credential), keys.map(({ group }) => groupValue(group))];
        const found = new Array<Found>(keys.length).fill(undefined);
        for (const row of await read<LookUpRow>(statement, values)) {
          const { team_id } = row;
          found[row.n - 1] = { apiToken: row, group: team_id === null ? undefined : { ...row, team_id } };
        }
        return found;
      } finally {
        inFlight--;
        waiting.shift()?.();
      }
    },
    {
      cache: false,
      maxBatchSize: LARGEST_BATCH,
      batchScheduleFn: (dispatch) => {
        // A lone look-up does not wait; beside another one, what has arrived by the end of this turn goes along.
        if (inFlight === 0) process.nextTick(dispatch);
        else if (inFlight < LOOK_UPS_IN_FLIGHT) setImmediate(dispatch);
        else waiting.push(dispatch);
      },
    },
  );
  return (key: LookUp): Promise<Found> => {
    if (waiting.length > MAX_WAITING) throw unavailable("the queue for look-ups is full");
    return loader.load(key);
  };
}

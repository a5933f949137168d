import type { Caller } from "@/lib/auth/caller";
import { perProcess } from "@/lib/config/per-process";
import { DeferredNotes } from "@/lib/db/deferred-notes";
import type { Statement } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { DRIFT_KEPT } from "@/lib/definitions/findings-stored";
import type { GroupRequest } from "@/lib/groups/schema";
import type { GroupRow } from "@/lib/store/group-row";

// Programs that send GET /api/user with other values than are stored: they may expect a change that GET does not make.

/** The share of calls that are compared. */
const SAMPLED = 1 / 16;
/** The most characters of members to compare: of one call, and of all until they are written. */
const MOST_OF_ONE = 65_536;
const MOST_OF_ALL = 4_194_304;

/** What a call sent; null for what it did not send, or is stored. */
interface Sent {
  environmentId: number;
  at: number;
  name: string | null;
  mapping: string | null;
  properties: string | null;
  caller: string;
}

/** Members are compared as values where their texts differ. */
const differs = (member: string) => `sent.${member} <> g.${member} AND sent.${member}::jsonb <> g.${member}::jsonb`;

// Groups that agree again are forgotten. Only differing ones are locked, against a deletion at the same time.
const RECORD: Statement = {
  name: "record_drift",
  text: `
    WITH compared AS MATERIALIZED (
      SELECT g.team_id, g.environment_id, sent.caller, now() - age * interval '1 millisecond' AS at, array_remove(ARRAY[
        CASE WHEN sent.name <> g.name THEN 'name' END,
        CASE WHEN ${differs("mapping")} THEN 'mapping' END,
        CASE WHEN sent.properties IS NOT NULL AND (g.properties IS NULL OR ${differs("properties")}) THEN 'properties' END
      ], NULL) AS members
      FROM unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[])
        AS sent(id, environment_id, age, name, mapping, properties, caller)
      JOIN user_group g ON g.environment_id = sent.environment_id AND g.team_id = sent.id
    ), agreed AS (
      DELETE FROM group_drift d USING compared WHERE d.team_id = compared.team_id AND compared.members = '{}'
    ), differing AS (
      SELECT compared.* FROM compared JOIN user_group g USING (environment_id, team_id)
      WHERE compared.members <> '{}' ORDER BY team_id FOR KEY SHARE OF g
    )
    INSERT INTO group_drift AS d (team_id, environment_id, members, caller, seen_at)
    SELECT team_id, environment_id, members, caller, at FROM differing
    ON CONFLICT (team_id) DO UPDATE SET members = excluded.members, caller = excluded.caller, seen_at = excluded.seen_at
    WHERE d.members <> excluded.members OR d.caller <> excluded.caller OR d.seen_at < excluded.seen_at - interval '1 minute'`,
};

const COLUMNS = ["name", "mapping", "properties", "caller"] as const;
const calls = perProcess(
  "calls with a group's values",
  () =>
    new DeferredNotes<Sent>({
      statement: RECORD,
      rest: (notes) => COLUMNS.map((column) => notes.map((note) => note[column])),
      merge: (earlier, later) => Object.assign(earlier, later),
    }),
);
let characters = 0;

/** Notes what some calls send about a group that is there. */
export function noteSent(caller: Caller, input: GroupRequest, group: GroupRow) {
  if (Math.random() >= SAMPLED) return;
  const { name, mapping, properties } = input;
  if (caller.actorType !== "api_token" || (name ?? mapping ?? properties ?? null) === null) return;
  const length = (mapping?.text.length ?? 0) + (properties?.text.length ?? 0);
  if (length > MOST_OF_ONE || characters > MOST_OF_ALL) return;
  characters += length;
  calls.note(group.team_id, {
    environmentId: group.environment_id,
    at: performance.now(),
    name: name ?? null,
    mapping: mapping?.text ?? null,
    properties: properties?.text === group.properties ? null : (properties?.text ?? null),
    caller: caller.actorName,
  });
}

/** Compares what calls sent since the last time. */
export async function recordDrift() {
  await calls.record();
  characters = 0;
}

/** Forgets drift that was not seen again. */
export async function forgetDrift() {
  await purge({ table: "group_drift", where: `seen_at < now() - ${DRIFT_KEPT}` });
}

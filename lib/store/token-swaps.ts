import type pg from "pg";
import { type Author, CHECKED_AUTHOR_COLUMNS, checking, recording } from "@/lib/authority/authority";
import { type Statement, statement, writeText } from "@/lib/db/pool";
import type { TextRow } from "@/lib/db/text-query";
import { authorTypes, changeOfRow, columns, type GroupInsert, SKIPPING, UNCOUNTED, WAITING } from "@/lib/store/changes";
import { snapshot } from "@/lib/store/group-row";
import { isOverlapping, keptPrevious, overlapEnd } from "@/lib/store/previous-token";
import { type Authored, shareWrites } from "@/lib/store/shared-writes";

// Replacements of groups' tokens; concurrent ones share a statement, as changes do.

export interface TokenSwap {
  environmentId: number;
  teamId: number;
  /** the id that the new token is sealed for, which the group must still have */
  providedId: string;
  /** the keyed hashes of the current token, under each usable key; undefined for any token */
  oldIndexes: Buffer[] | undefined;
  newIndex: Buffer;
  newSealed: Buffer;
  /** the version the group must still have; any if undefined */
  version?: number;
  /** how long the current token stays valid; 0 ends it, and the previous token if an overlap is running */
  overlapSeconds: number;
}

/** A group with a new token, which its caller knows. */
interface Rotated extends Pick<GroupInsert, "providedId" | "name" | "properties"> {
  teamId: number;
  version: number;
  /** when the replaced token stops being valid; undefined without an overlap */
  previousValidUntil: Date | undefined;
}

/** The outcome of a rotation: undefined when the old token is not current, `renamed` when the group has another id. */
export type Swapped = Rotated | "overlap_running" | "renamed" | undefined;

/** When a replaced token stops being valid; NULL without an overlap. */
const PREVIOUS_END = `CASE WHEN changed.overlap_seconds > 0 THEN ${overlapEnd("kept", "changed")} END`;

// Swaps a token if it is still current: of concurrent callers exactly one succeeds.
const rotating = (lock: string) => `
    WITH asked AS (
      SELECT * FROM unnest(${UNCOUNTED}, $2::int[], $3::bytea[], $4::bytea[], $5::bytea[], $6::int[], $7::int[],
        $8::text[], ${authorTypes(9)}) WITH ORDINALITY
        AS q(environment_id, team_id, old_index, new_index, new_sealed, version, overlap_seconds,
          sealed_for, ${CHECKED_AUTHOR_COLUMNS}, n)
    ), was AS (
      SELECT g.*, new_index, new_sealed, overlap_seconds, ${CHECKED_AUTHOR_COLUMNS}, n,
        CASE WHEN g.provided_id <> sealed_for THEN 'renamed'
          WHEN overlap_seconds > 0 AND ${isOverlapping("g")} THEN 'overlap_running' END AS refusal
      FROM user_group g JOIN asked USING (environment_id, team_id)
      WHERE g.token_index = coalesce(asked.old_index, g.token_index)
        AND g.version = coalesce(asked.version, g.version) ${lock}
    ), ${checking("was", "tokens:rotate")}, changed AS (
      UPDATE user_group g SET token_index = new_index, token_sealed = new_sealed, version = was.version + 1,
        rotated_at = now(), gen = was.gen + CASE WHEN overlap_seconds > 0 THEN 0 ELSE 1 END
      FROM was WHERE refusal IS NULL AND g.environment_id = was.environment_id AND g.team_id = was.team_id
      RETURNING g.*, n, overlap_seconds
    ), ${keptPrevious}, ${recording({
      columns: "environment_id, team_id, action, before, after, ended_token",
      values: `changed.environment_id, changed.team_id, 'user_group.token_rotated', ${snapshot("was")},
        ${snapshot("changed", PREVIOUS_END)}, substring(was.token_index FOR 8)`,
      rows: "changed LEFT JOIN kept USING (team_id) JOIN was USING (n)",
    })}
    SELECT n, team_id, provided_id, name, properties, version, (extract(epoch FROM ${PREVIOUS_END}) * 1000)::bigint
    FROM changed LEFT JOIN kept USING (team_id)
    UNION ALL
    SELECT n, NULL, refusal, NULL, NULL, NULL, NULL FROM was, checked WHERE refusal IS NOT NULL`;

const ROTATE_TOKEN = statement("rotate_token")`${rotating(WAITING)}`;
const ROTATE_TOKENS = statement("rotate_tokens")`${rotating(SKIPPING)}`;

/** Gives the group a new token and records it, in `client`'s transaction if given. */
export function swapToken(change: TokenSwap, author: Author, client?: pg.ClientBase): Promise<Swapped> {
  const authored = { change, author };
  return client || (change.oldIndexes ?? []).length > 1 ? swapAlone(authored, client) : swaps(authored);
}

/** Gives groups new tokens, whatever tokens they have, in `client`'s transaction, which holds their locks. */
export function swapTokens(changes: Authored<TokenSwap>[], client: pg.ClientBase) {
  return swapAll(ROTATE_TOKEN, { changes, nth: 0 }, client);
}

const swapValues = (changes: Authored<TokenSwap>[], nth: number) =>
  columns(changes, (swap) => [
    swap.environmentId,
    swap.teamId,
    swap.oldIndexes?.[nth],
    swap.newIndex,
    swap.newSealed,
    swap.version,
    swap.overlapSeconds,
    swap.providedId,
  ]);

/** `nth` says which of `oldIndexes` each group's token is compared with: there is one for each usable key. */
async function swapAll(
  statement: Statement,
  { changes, nth }: { changes: Authored<TokenSwap>[]; nth: number },
  client?: pg.ClientBase,
): Promise<Map<Authored<TokenSwap>, Swapped>> {
  const rows = await writeText(statement, swapValues(changes, nth), client);
  return new Map(rows.map((row) => [changeOfRow(changes, row), readSwapped(row)]));
}

async function swapAlone(authored: Authored<TokenSwap>, client?: pg.ClientBase): Promise<Swapped> {
  for (const nth of (authored.change.oldIndexes ?? [undefined]).keys()) {
    const swapped = (await swapAll(ROTATE_TOKEN, { changes: [authored], nth }, client)).get(authored);
    if (swapped) return swapped;
  }
  return undefined;
}

const swaps = shareWrites<TokenSwap, Swapped>({
  keyOf: ({ teamId }) => String(teamId),
  size: () => 0,
  alone: (authored) => swapAlone(authored),
  together: (changes) => swapAll(ROTATE_TOKENS, { changes, nth: 0 }),
});

function readSwapped([, teamId, providedId, name, properties, version, previousUntil]: TextRow): Swapped {
  if (teamId === null) return providedId as "overlap_running" | "renamed";
  return {
    teamId: Number(teamId),
    providedId: providedId ?? "",
    name: name ?? "",
    properties: properties ?? null,
    version: Number(version),
    previousValidUntil: typeof previousUntil === "string" ? new Date(Number(previousUntil)) : undefined,
  };
}

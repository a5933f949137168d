import { type Asked, authorOf, type Caller } from "@/lib/auth/caller";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { write } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";
import { type GroupWithToken, noGroup, toGroup } from "@/lib/groups/group";
import type { NamedGroup, TokenReveal } from "@/lib/groups/token-schema";
import { findGroup, GROUP_COLUMNS, type GroupRow } from "@/lib/store/group-row";

const REVEAL_TOKEN = statement("reveal_token")`
  WITH found AS (
    SELECT ${GROUP_COLUMNS} FROM user_group WHERE environment_id = $1 AND team_id = $2
  ), ${checking(`found CROSS JOIN ${authorFrom(4)}`, "tokens:read")}, ${recording({
    columns: "environment_id, team_id, action",
    values: "environment_id, team_id, $3",
    rows: `found CROSS JOIN ${authorFrom(4)}`,
  })}
  SELECT found.* FROM found, checked`;

/**
 * The group with its token; the request and its author are recorded.
 * @throws {AppError} `unknown_user_group`
 */
export async function revealToken({ caller, input }: Asked<TokenReveal>): Promise<GroupWithToken> {
  const environmentId = caller.environment.id;
  const teamId = input.team_id ?? (await findNamed(environmentId, input))?.team_id;
  const row = teamId && (await recordReveal(environmentId, { teamId, purpose: input.purpose }, authorOf(caller)));
  return toGroup(row || noGroup());
}

/** The group with this id or number. */
export async function findNamed(environmentId: number, named: NamedGroup): Promise<GroupRow | undefined> {
  const { team_id: teamId, user_group_id: providedId = "" } = named;
  return findGroup(environmentId, teamId === undefined ? { providedId } : { teamId });
}

/**
 * Records that a member received a token which no change of theirs records: an entry for creating, updating or rotating
 * names them already. Answers to programs are not recorded: many are page views. The token of a deleted group
 * identifies nothing.
 */
export async function recordHandOver(caller: Caller, teamId: number) {
  if (caller.actorType !== "member") return;
  await recordReveal(caller.environment.id, { teamId, purpose: "reveal" }, authorOf(caller));
}

interface Reveal {
  teamId: number;
  purpose: TokenReveal["purpose"];
}

async function recordReveal(environmentId: number, { teamId, purpose }: Reveal, author: Author) {
  const action = purpose === "copy" ? "user_group.token_copied" : "user_group.token_revealed";
  const [row] = await write<GroupRow>(REVEAL_TOKEN, [environmentId, teamId, action, ...authorValues(author)]);
  return row;
}

import type { ClientBase } from "pg";
import type { Author } from "@/lib/authority/authority";
import { newToken, storeToken } from "@/lib/crypto/group-token";
import { changeGroups, type GroupChange, type GroupInsert, insertGroups } from "@/lib/store/changes";

/** The values of a new group; all but the id have defaults. */
export type NewGroup = Pick<GroupInsert, "environmentId" | "providedId"> & {
  [Field in "name" | "mapping" | "properties" | "accessEndsAt"]?: GroupInsert[Field] | null | undefined;
};

/** The row of a new group with this token. */
export function rowOf(
  { environmentId, providedId, name, mapping, properties, accessEndsAt }: NewGroup,
  token: string,
  { version: definitionsVersion }: { version: number | null },
): GroupInsert {
  const place = { environmentId, providedId };
  // Spread last: on Node 20 an object that begins with a spread gets its own hidden class, which slows GET and PUT.
  return {
    name: name ?? providedId,
    mapping: mapping ?? "{}",
    properties: properties ?? null,
    accessEndsAt: accessEndsAt ?? null,
    definitionsVersion,
    ...place,
    ...storeToken(token, place),
  };
}

/** Changes of several groups of an environment, within the connection's transaction. */
interface Changes<Change> {
  changes: Change[];
  author: Author;
  /** the definitions that allow the changes; without a version they need not be current */
  definitions: { version: number | null };
}

/**
 * Creates the groups with free ids, and records each; returns their numbers in the order of `changes`, with undefined
 * for the others.
 */
export async function createGroups(
  client: ClientBase,
  { changes: groups, author, definitions }: Changes<NewGroup>,
): Promise<(number | undefined)[]> {
  if (groups.length === 0) return [];
  const authored = groups.map((group) => ({ change: rowOf(group, newToken(), definitions), author }));
  const created = await insertGroups(authored, client);
  return authored.map((one) => created.get(one)?.teamId);
}

/**
 * Changes groups like updateGroup, each if it exists and its tag matches; returns the rows in the order of
 * `changes`.
 */
export async function updateGroups(
  client: ClientBase,
  { changes, author, definitions: { version: definitionsVersion } }: Changes<GroupChange>,
) {
  if (changes.length === 0) return [];
  const authored = changes.map((change) => ({ change: { ...change, definitionsVersion }, author }));
  const updated = await changeGroups(authored, client);
  return authored.map((one) => updated.get(one));
}

import type { GroupListQuery } from "./openapi.js";

/** The most ids of a page, and their characters in its URL: proxies refuse long URLs, often beyond 8 KiB. */
const MAX_IDS = 100;
const MAX_CHARACTERS = 4_000;

/** The pages of a list, each requested once the previous one is used up. */
export async function* everyPage<Page extends { next_cursor: string | null }>(
  ask: (place: { cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page: Page = await ask(cursor === undefined ? {} : { cursor });
    yield page;
    cursor = page.next_cursor;
  }
}

/** Splits a query into parts, each with at most a page's ids. */
export function* inParts({ user_group_id, team_id, ...rest }: GroupListQuery): Generator<GroupListQuery> {
  const numbers = team_id && { team_id };
  if (user_group_id) for (const part of partsOf(user_group_id)) yield { ...rest, ...numbers, user_group_id: part };
  else if (team_id) for (const part of partsOf(team_id)) yield { ...rest, team_id: part };
  else yield rest;
}

function* partsOf<Id extends string | number>(ids: readonly Id[]): Generator<Id[]> {
  let part: Id[] = [];
  let characters = 0;
  for (const id of ids) {
    const { length } = new URLSearchParams([["user_group_id", String(id)]]).toString();
    if (part.length === MAX_IDS || (part.length > 0 && characters + length > MAX_CHARACTERS)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(id);
    characters += length;
  }
  if (part.length > 0) yield part;
}

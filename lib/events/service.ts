import type { PoolClient } from "pg";
import { authorOf, type Caller, requireScopes } from "@/lib/auth/caller";
import { requireScopeOn } from "@/lib/authority/authority";
import type { Scope, ScopeCondition } from "@/lib/authority/scopes";
import { type FeedPage, findEnd, readFeed } from "@/lib/events/feed";
import type { EventsQuery } from "@/lib/events/schema";
import { enterWait, untilBeyond } from "@/lib/events/waiting";

/** The scope that the feed needs. */
export const FEED: Scope = "events:read";

/** The further scope that states in the feed need. */
export const STATES: ScopeCondition = { scope: "groups:read", when: "with `include=states`" };

/** A page of the feed for an answer. */
export interface EventPage extends FeedPage {
  withStates: boolean;
}

interface Question {
  caller: Caller;
  input: EventsQuery;
  /** registers work for when the caller disconnects */
  onClose: ((work: () => void) => void) | undefined;
  /** admits the caller again after a wait */
  readmit: () => Promise<void>;
}

/**
 * The events after a cursor, oldest first; if there are none, waits for one as long as `wait` says.
 * @throws {AppError} `invalid_fields` for an invalid cursor, `cursor_gone` for one whose event is gone, `rate_limited`
 * when too many calls wait, `unauthorized` or `forbidden` when the caller loses the authority during a wait
 */
export async function listEvents(question: Question): Promise<EventPage> {
  const { caller, input } = question;
  const { after, wait, types, limit, include } = input;
  if (include) requireScopes(caller, [STATES.scope]);
  const { id } = caller.environment;
  const read = () => (wait === 0 ? readFeed(id, after, { types, limit }) : waitForEvents(id, question));
  const page = await (after === "latest" ? findEnd(id) : read());
  return { ...page, withStates: include !== undefined };
}

async function waitForEvents(environmentId: number, question: Question): Promise<FeedPage> {
  const { caller, input, onClose, readmit } = question;
  const { after, wait, types, limit, include } = input;
  // Before anything is read, so that refusing thousands of calls costs no statement.
  const leave = enterWait(question);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), wait * 1_000);
  onClose?.(() => over.abort());
  // The API token may be revoked or narrowed, or the session end, during the wait.
  const check = async (client: PoolClient) => {
    for (const scope of include ? [FEED, STATES.scope] : [FEED]) {
      await requireScopeOn(client, authorOf(caller), environmentId, scope);
    }
  };
  try {
    let page = await readFeed(environmentId, after, { types, limit });
    const isEmpty = () => page.rows.length === 0 && page.caughtUp;
    while (isEmpty() && (await untilBeyond(environmentId, page.nextCursor, over.signal))) {
      await readmit();
      page = await readFeed(environmentId, page.nextCursor, { types, limit }, check);
    }
    return page;
  } finally {
    clearTimeout(timer);
    leave();
  }
}

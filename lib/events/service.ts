import { type Caller, requireScope } from "@/lib/auth/caller";
import type { ScopeCondition } from "@/lib/db/scopes";
import { type FeedPage, findEnd, readFeed } from "@/lib/events/feed";
import type { EventsQuery } from "@/lib/events/schema";
import { enterWait, untilBeyond } from "@/lib/events/waiting";

/** What only callers who may read groups see. */
export const STATES: ScopeCondition = { scope: "groups:read", when: "with `include=states`" };

/** A page of the feed, as it is answered. */
export interface EventPage extends FeedPage {
  withStates: boolean;
}

interface Question {
  caller: Caller;
  input: EventsQuery;
  /** does something once the caller is gone */
  onClose: ((work: () => void) => void) | undefined;
}

/**
 * The events after a cursor, oldest first; waits for one if there is none.
 * @throws {AppError} `invalid_fields` for an invalid cursor, `cursor_gone` for one whose event is gone, `rate_limited` when too
 * many calls wait
 */
export async function listEvents(question: Question): Promise<EventPage> {
  const { caller, input } = question;
  if (input.include) requireScope(caller, STATES.scope);
  const { id } = caller.environment;
  const page = input.after === "latest" ? await findEnd(id) : await followFeed(id, question);
  return { ...page, withStates: input.include !== undefined };
}

async function followFeed(environmentId: number, { caller, input, onClose }: Question): Promise<FeedPage> {
  const { after, wait, types, limit } = input;
  let page = await readFeed(environmentId, after, { types, limit });
  const isEmpty = () => page.rows.length === 0 && page.caughtUp;
  if (wait === 0 || !isEmpty()) return page;
  const leave = enterWait({ caller });
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), wait * 1_000);
  onClose?.(() => over.abort());
  try {
    while (isEmpty() && (await untilBeyond(environmentId, page.nextCursor, over.signal))) {
      page = await readFeed(environmentId, page.nextCursor, { types, limit });
    }
    return page;
  } finally {
    clearTimeout(timer);
    leave();
  }
}

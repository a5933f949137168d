import type { Actor, JsonObject } from "./user-group.js";

/** The query of the feed. */
export interface EventsQuery {
  /** `next_cursor` of an earlier page, or `latest` for the end; without it the feed starts at the oldest event */
  after?: string;
  /** such as `user_group.created`, or `user_group.*` for all with this beginning */
  types?: readonly string[];
  /** 1 to 500 events on a page */
  limit?: number;
  /** seconds to wait for an event if there is none, 0 to 30; an iterator with it does not end */
  wait?: number;
  /** what was changed, before and after; needs the scope `groups:read` */
  include?: "states";
}

/** Something that was done in the environment. */
export interface FeedEvent {
  id: string;
  type: string;
  at: string;
  actor: Actor<"api_token" | "member" | "operator" | "visitor">;
  request_id: string | null;
  data: {
    team_id: number | null;
    provided_id: string | null;
    name: string | null;
    /** what differs between before and after, such as `properties` or `token` */
    changed: string[];
    /** only with `include` */
    before?: JsonObject | null;
    after?: JsonObject | null;
  };
}

/** A page of the feed, oldest first. */
export interface Events {
  success: 1;
  events: FeedEvent[];
  next_cursor: string;
  /** whether there are no more events now */
  caught_up: boolean;
}

/** Events as they come. */
export class EventFeed implements AsyncIterable<FeedEvent> {
  readonly #ask: (place: { after?: string }) => Promise<Events>;
  readonly #ends: boolean;
  #cursor: string | undefined;

  constructor(ask: (query: EventsQuery) => Promise<Events>, { after, ...query }: EventsQuery) {
    this.#ask = (place) => ask({ ...query, ...place });
    this.#ends = !query.wait;
    this.#cursor = after;
  }

  /**
   * Where another feed continues: store it when you have handled the event you received last. After a crash, events
   * since the end of the page before can come again.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** Continues at the cursor. @throws {UserGroupsError} `cursor_gone` when its event was lost: read all groups again */
  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent, void, undefined> {
    for (;;) {
      const page = await this.#ask(this.#cursor === undefined ? {} : { after: this.#cursor });
      const last = page.events.pop();
      yield* page.events;
      this.#cursor = page.next_cursor;
      if (last) yield last;
      if (this.#ends && page.caught_up) return;
    }
  }
}

import type { Events, EventsQuery, FeedEvent } from "./openapi.js";

/** The events of an environment, as they happen. */
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
   * Where another feed can continue. Store it once you have handled the last received event. After a crash, events
   * since the end of the previous page can come again.
   */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Continues at the cursor. If handling an event failed, it is not repeated: make a new feed at the stored cursor.
   * @throws {UserGroupsError} `cursor_gone` when the cursor's event was lost: read all groups again
   */
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

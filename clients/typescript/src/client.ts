import type { FixRequest } from "./bodies.js";
import { EventFeed } from "./events.js";
import { GroupCalls } from "./group-calls.js";
import { Jobs } from "./jobs.js";
import { linesOf } from "./lines.js";
import type * as api from "./openapi.js";
import { type ChangeOptions, changing, type KeyedOptions, once } from "./options.js";
import { everyPage, inParts } from "./pages.js";
import { type CallOptions, type ClientOptions, type Tagged, Transport } from "./transport.js";
import { Webhooks } from "./webhooks.js";

export type * from "./bodies.js";
export { type ErrorCode, UserGroupsError } from "./error.js";
export type { EventFeed } from "./events.js";
export type { Jobs, WaitOptions } from "./jobs.js";
export { type FetchToken, type FreshToken, type KeepFreshOptions, keepFresh } from "./keep-fresh.js";
export { type Embed, type EmbedOptions, mountEmbed } from "./mount-embed.js";
export type * from "./openapi.js";
export type {
  ChangeOptions,
  KeyedOptions,
  ReplaceOptions,
  RotateOptions,
  SuspendOptions,
  TokenOptions,
  ViewerOptions,
} from "./options.js";
export type { CallOptions, ClientOptions, Tagged } from "./transport.js";
export type { Webhooks } from "./webhooks.js";

const MAX_PAGE = 500;
const MAX_ENTRIES = 200;

/** Refuses a list without ids, which a query cannot express: without its parameter, all groups would match. */
function checkIds(...lists: (readonly unknown[] | undefined)[]) {
  if (lists.some((ids) => ids?.length === 0)) throw new TypeError("the list of ids is empty");
  if (lists.some((ids) => ids?.includes(undefined))) throw new TypeError("the list of ids contains undefined");
}

/** The calls of a user group service, for the environment of one API token. */
export class UserGroupsClient extends GroupCalls {
  readonly #transport: Transport;
  /** imports and other changes of many user groups */
  readonly jobs: Jobs;
  /** URLs that events are sent to */
  readonly webhooks: Webhooks;

  /** @throws {TypeError} when the base URL or the API token is invalid */
  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
    this.jobs = new Jobs(transport);
    this.webhooks = new Webhooks(transport);
  }

  /**
   * Replaces the client's API token. Store the answer: the new value is shown only once. The old value stays valid for
   * `overlap` seconds, 3600 to 604800, and this client keeps using it: create another client with the new value.
   * @throws {UserGroupsError} `conflict` when it was replaced before
   */
  replaceApiToken(overlap: number, options: CallOptions = {}): Promise<api.ApiTokenValue> {
    const body = { overlap_seconds: overlap };
    return this.#transport.postOnce("/api/api-tokens/replace", body, options);
  }

  /** Returns the revocations of viewer tokens since `next_since` of an earlier answer. @throws {UserGroupsError} */
  revocations(query: { since?: string } = {}, options: CallOptions = {}): Promise<api.Revocations> {
    return this.#transport.get("/api/revocations", options, query);
  }

  /** Each revocation up to now; returns where the next call continues. @throws {UserGroupsError} */
  async *iterateRevocations(
    since?: string,
    options: CallOptions = {},
  ): AsyncGenerator<api.Revocation, string, undefined> {
    for (let place = since; ; ) {
      const page = await this.revocations(place === undefined ? {} : { since: place }, options);
      yield* page.revocations;
      place = page.next_since;
      if (!page.has_more) return place;
    }
  }

  /** Returns the settings for the environment's viewer tokens. @throws {UserGroupsError} */
  viewerSettings(options: CallOptions = {}): Promise<api.ViewerSettingsAnswer> {
    return this.#transport.get("/api/viewer-settings", options);
  }

  /** Replaces all settings for the environment's viewer tokens. @throws {UserGroupsError} */
  setViewerSettings(settings: api.ViewerSettings, options: CallOptions = {}): Promise<api.ViewerSettingsAnswer> {
    return this.#transport.json("PUT /api/viewer-settings", settings, { options });
  }

  /** Returns the definitions: what every group of the environment must have. @throws {UserGroupsError} */
  definitions(options: CallOptions = {}): Promise<Tagged<api.DefinitionsAnswer>> {
    return this.#transport.tagged("GET /api/definitions", undefined, { options });
  }

  /**
   * Replaces all definitions; groups stay as they are.
   * @throws {UserGroupsError} `stale`
   */
  setDefinitions(definitions: api.Definitions, options: ChangeOptions = {}): Promise<Tagged<api.DefinitionsAnswer>> {
    return this.#transport.tagged("PUT /api/definitions", definitions, changing(options));
  }

  /** Returns the definitions, extended by suggestions from the newest groups, to edit and then set. */
  suggestDefinitions(options: CallOptions = {}): Promise<api.SuggestedDefinitions> {
    return this.#transport.get("/api/definitions/suggestion", options);
  }

  /**
   * Returns the findings in all groups, counted: violations of the definitions, and problems visible only among many.
   * @throws {UserGroupsError}
   */
  findings(options: CallOptions = {}): Promise<api.Findings> {
    return this.#transport.get("/api/definitions/findings", options);
  }

  /**
   * Starts a job that changes one member of every group with a finding: `jobs.wait` for its check, then `jobs.apply`.
   * @throws {UserGroupsError} `conflict` when many jobs are open
   */
  fixFinding(fix: FixRequest, options: CallOptions = {}): Promise<api.JobAnswer> {
    return this.#transport.postOnce("/api/definitions/fixes", fix, options);
  }

  /** Returns a page of groups. @throws {UserGroupsError}, or {TypeError} for an empty list of ids */
  async list(query: api.GroupListQuery = {}, options: CallOptions = {}): Promise<api.GroupList> {
    checkIds(query.user_group_id, query.team_id);
    return this.#transport.get("/api/user-groups", options, query);
  }

  /**
   * Every group that matches, in order of `team_id`: a group that exists during the whole iteration comes exactly once.
   * Any number of ids can be given; unknown ones are skipped.
   * @throws {UserGroupsError}
   */
  async *iterate(
    query: Omit<api.GroupListQuery, "cursor" | "sort"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<api.ListedGroup, void, undefined> {
    for (const part of inParts(query)) {
      const pages = everyPage((place) => this.list({ limit: MAX_PAGE, ...part, ...place }, options));
      for await (const page of pages) yield* page.user_groups;
    }
  }

  /** Counts the groups by state, and lists the properties and values of a sample. @throws {UserGroupsError} */
  summary(options: CallOptions = {}): Promise<api.Summary> {
    return this.#transport.get("/api/user-groups/summary", options);
  }

  /** Returns a page of the history, newest first. @throws {UserGroupsError} */
  history(query: api.HistoryQuery = {}, options: CallOptions = {}): Promise<api.History> {
    return this.#transport.get("/api/user-groups/history", options, query);
  }

  /** Counts the newest 50,000 entries of the history by hour. @throws {UserGroupsError} */
  historyCounts(
    query: Omit<api.HistoryQuery, "cursor" | "limit"> = {},
    options: CallOptions = {},
  ): Promise<api.HistoryCounts> {
    return this.#transport.get("/api/user-groups/history/counts", options, query);
  }

  /** The entries of the history, newest first. @throws {UserGroupsError} */
  async *iterateHistory(
    query: Omit<api.HistoryQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<api.HistoryEntry, void, undefined> {
    const pages = everyPage((place) => this.history({ limit: MAX_ENTRIES, ...query, ...place }, options));
    for await (const page of pages) yield* page.entries;
  }

  /** Returns a page of the events after a cursor, oldest first. @throws {UserGroupsError} `cursor_gone` */
  events(query: api.EventsQuery = {}, options: CallOptions = {}): Promise<api.Events> {
    const heldMs = (query.wait ?? 0) * 1_000;
    return this.#transport.json("GET /api/events", undefined, { options, query, heldMs });
  }

  /**
   * Every event after a cursor, oldest first: up to now, or forever with `wait`. Each page is a call. Read the feed's
   * `cursor` to continue later.
   * @throws {UserGroupsError} `cursor_gone`
   */
  iterateEvents(query: api.EventsQuery = {}, options: CallOptions = {}): EventFeed {
    return new EventFeed((page) => this.events({ limit: MAX_PAGE, ...page }, options), query);
  }

  /**
   * How often tokens were minted or checked on each day.
   * @throws {UserGroupsError}, or {TypeError} for an empty list of ids
   */
  async usage(query: api.UsageQuery = {}, options: CallOptions = {}): Promise<api.Usage> {
    checkIds(query.team_id);
    return this.#transport.get("/api/usage", options, query);
  }

  /**
   * Returns a page of the groups that were used, most checks first; with ids, those groups in the order given.
   * @throws {UserGroupsError}, or {TypeError} for an empty list of ids
   */
  async usageByGroup(query: api.GroupUsageQuery = {}, options: CallOptions = {}): Promise<api.GroupUsage> {
    checkIds(query.team_id);
    return this.#transport.get("/api/usage", options, { ...query, by: "user_group" });
  }

  /** Returns a page of the deleted groups that can be restored. @throws {UserGroupsError} */
  deleted(query: api.DeletedQuery = {}, options: CallOptions = {}): Promise<api.DeletedList> {
    return this.#transport.get("/api/user-groups/deleted", options, query);
  }

  /** The deleted groups that can be restored, most recently deleted first. @throws {UserGroupsError} */
  async *iterateDeleted(
    query: Omit<api.DeletedQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<api.DeletedGroup, void, undefined> {
    const pages = everyPage((place) => this.deleted({ limit: MAX_PAGE, ...query, ...place }, options));
    for await (const page of pages) yield* page.user_groups;
  }

  /**
   * The matching groups as JSON lines, as the service streams them. The deadline limits the time until the response
   * begins, and the timeout, if given, the wait for each piece; else that is 10 minutes.
   * @throws {UserGroupsError} `unreachable` when the connection closes before the end
   */
  async *export(
    selection: api.GroupSelection = {},
    options: CallOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    const query = { ...selection, format: "jsonl" };
    yield* linesOf(await this.#transport.stream("/api/user-groups/export", options, query));
  }

  /**
   * Creates, changes, deletes or rotates up to 500 groups. A retry with the same key does only what is left, and the
   * client itself retries while groups have the error `unavailable`.
   * @throws {UserGroupsError} when the whole batch is refused; a group's own error is in its result
   */
  batch(request: api.BatchRequest, options: KeyedOptions = {}): Promise<api.BatchAnswer> {
    return this.#transport.json("POST /api/user-groups/batch", request, {
      ...once(options),
      isBulk: true,
      isUnfinished: (answer) => (answer as api.BatchAnswer).results.some(({ error }) => error?.code === "unavailable"),
    });
  }
}

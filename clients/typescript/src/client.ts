import type { FixRequest, GroupDeletion, NamedGroup, ViewedGroup } from "./bodies.js";
import { EventFeed } from "./events.js";
import { Jobs } from "./jobs.js";
import { linesOf } from "./lines.js";
import type {
  AllowedOrigins,
  BatchAnswer,
  BatchRequest,
  Definitions,
  DefinitionsAnswer,
  DeletedGroup,
  DeletedList,
  DeletedQuery,
  Done,
  EndedOverlap,
  Events,
  EventsQuery,
  Findings,
  FoundGroup,
  GroupList,
  GroupListQuery,
  GroupMerge,
  GroupRequest,
  GroupRestoration,
  GroupSelection,
  GroupState,
  GroupUsage,
  GroupUsageQuery,
  History,
  HistoryCounts,
  HistoryEntry,
  HistoryQuery,
  JobAnswer,
  ListedGroup,
  RestoredGroup,
  Revocation,
  Revocations,
  RotatedGroup,
  SuggestedDefinitions,
  Summary,
  TokenOwner,
  UpdatedGroup,
  UpsertedGroup,
  Usage,
  UsageQuery,
  Viewer,
  ViewerSettings,
  ViewerSettingsAnswer,
  ViewerToken,
  ViewerTokenOptions,
  ViewsEnded,
} from "./openapi.js";
import {
  type ChangeOptions,
  changing,
  type KeyedOptions,
  once,
  type ReplaceOptions,
  type RotateOptions,
  type SuspendOptions,
  type TokenOptions,
  type ViewerOptions,
} from "./options.js";
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

/** The calls of a user group service, for the environment of one API token. */
export class UserGroupsClient {
  readonly #transport: Transport;
  /** files of user groups */
  readonly jobs: Jobs;
  /** URLs that events are sent to */
  readonly webhooks: Webhooks;

  /** @throws {TypeError} when the base URL or the API token is invalid */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.jobs = new Jobs(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
  }

  /**
   * Returns the group with this id, or creates it from the other fields.
   * @throws {UserGroupsError}
   */
  getOrCreate(group: GroupRequest, options: CallOptions = {}): Promise<Tagged<FoundGroup>> {
    // Not GET, which is the same call: fetch sends no body with one.
    const path = "/api/user/get-or-create";
    return this.#transport.tagged({ method: "POST", path, body: group, options, repeatable: true });
  }

  /**
   * Updates a group: an omitted field stays unchanged, mapping and properties are replaced whole.
   * @throws {UserGroupsError} `unknown_user_group` when no group has this id, `stale`
   */
  update(group: GroupRequest, options: ChangeOptions = {}): Promise<Tagged<UpdatedGroup>> {
    return this.#transport.tagged({ method: "PUT", path: "/api/user", body: group, ...changing(options) });
  }

  /**
   * Merges into a group: within mapping and properties only the given members change, and null removes one.
   * @throws {UserGroupsError} `unknown_user_group` when no group has this id, `stale`
   */
  merge(group: GroupMerge, options: ChangeOptions = {}): Promise<Tagged<UpdatedGroup>> {
    return this.#transport.tagged({ method: "PATCH", path: "/api/user", body: group, ...changing(options) });
  }

  /**
   * Creates a group, or merges into the one that has this id.
   * @throws {UserGroupsError}
   */
  upsert(group: GroupMerge, options: CallOptions = {}): Promise<Tagged<UpsertedGroup>> {
    return this.#transport.tagged({ method: "POST", path: "/api/user/upsert", body: group, options, repeatable: true });
  }

  /**
   * Gives a group a new token; the current one stops working immediately, or after an overlap.
   * @throws {UserGroupsError} `unknown_token` when it is not a group's current token, `overlap_running`
   */
  rotate(currentToken: string, { overlapSeconds, ...options }: RotateOptions = {}): Promise<Tagged<RotatedGroup>> {
    const body = { current_token: currentToken, overlap_seconds: overlapSeconds };
    return this.#transport.tagged({ method: "POST", path: "/api/user", body, ...once(options) });
  }

  /**
   * Gives a group a new token, without the current one. Of several callers with one `ifMatch`, one succeeds.
   * @throws {UserGroupsError} `unknown_user_group`, `stale`, `overlap_running`
   */
  replaceToken(
    group: NamedGroup,
    { ifMatch, overlapSeconds, ...options }: ReplaceOptions = {},
  ): Promise<Tagged<RotatedGroup>> {
    const path = "/api/user-groups/rotate";
    const { headers, ...call } = once(options);
    return this.#transport.tagged({
      method: "POST",
      path,
      body: { ...group, overlap_seconds: overlapSeconds },
      ...call,
      headers: { ...headers, "If-Match": ifMatch },
    });
  }

  /**
   * Ends the overlap of a group's last rotation: the previous token stops working immediately.
   * @throws {UserGroupsError} `unknown_user_group`
   */
  endOverlap(id: string, options: CallOptions = {}): Promise<EndedOverlap> {
    return this.#transport.post("/api/user/end-overlap", { user_group_id: id }, options, { repeatable: true });
  }

  /**
   * Returns a group with its current token; the history records it.
   * @throws {UserGroupsError} `unknown_user_group`
   */
  token(group: NamedGroup, { purpose, ...options }: TokenOptions = {}): Promise<Tagged<RotatedGroup>> {
    const path = "/api/user-groups/token";
    return this.#transport.tagged({ method: "POST", path, body: { ...group, purpose }, options, repeatable: true });
  }

  /** Finds the owner of a token in a text. @throws {UserGroupsError} */
  findByToken(text: string, options: CallOptions = {}): Promise<TokenOwner> {
    return this.#transport.post("/api/user-groups/find-by-token", { text }, options, { repeatable: true });
  }

  /**
   * Identifies the viewing group by its token, as a renderer of dashboards does.
   * @throws {UserGroupsError}
   */
  viewer(token: string, { strict, ...options }: ViewerOptions = {}): Promise<Viewer> {
    return this.#transport.post("/api/viewer", { token, strict }, options, { repeatable: true });
  }

  /**
   * Mints a viewer token: signed, short-lived, for one page view.
   * @throws {UserGroupsError} `unknown_user_group`, `unknown_token`, `not_active`
   */
  mintViewerToken(group: ViewedGroup & ViewerTokenOptions, options: CallOptions = {}): Promise<ViewerToken> {
    return this.#transport.post("/api/viewer-tokens", group, options, { repeatable: true });
  }

  /**
   * Revokes all viewer tokens of a group; its user group token stays.
   * @throws {UserGroupsError} `unknown_user_group`
   */
  endViews(id: string, options: CallOptions = {}): Promise<ViewsEnded> {
    return this.#transport.post("/api/user-groups/end-views", { user_group_id: id }, options, { repeatable: true });
  }

  /** Returns the revocations of viewer tokens since `next_since` of an earlier answer. @throws {UserGroupsError} */
  revocations(query: { since?: string } = {}, options: CallOptions = {}): Promise<Revocations> {
    return this.#transport.get("/api/revocations", options, query);
  }

  /** Each revocation up to now; returns where the next call continues. @throws {UserGroupsError} */
  async *iterateRevocations(since?: string, options: CallOptions = {}): AsyncGenerator<Revocation, string, undefined> {
    for (let place = since; ; ) {
      const page = await this.revocations(place === undefined ? {} : { since: place }, options);
      yield* page.revocations;
      place = page.next_since;
      if (!page.has_more) return place;
    }
  }

  /** Where a group's dashboards may be embedded. @throws {UserGroupsError} `unknown_user_group` */
  allowedOrigins(id: string, options: CallOptions = {}): Promise<AllowedOrigins> {
    return this.#transport.get("/api/user-groups/allowed-origins", options, { user_group_id: id });
  }

  /** Sets where a group's dashboards may be embedded; null for the environment's origins. @throws {UserGroupsError} */
  setAllowedOrigins(id: string, origins: readonly string[] | null, options: CallOptions = {}): Promise<AllowedOrigins> {
    const path = "/api/user-groups/allowed-origins";
    const body = { user_group_id: id, allowed_origins: origins };
    return this.#transport.json({ method: "PUT", path, body, options, repeatable: true });
  }

  /** What the environment's viewer tokens contain. @throws {UserGroupsError} */
  viewerSettings(options: CallOptions = {}): Promise<ViewerSettingsAnswer> {
    return this.#transport.get("/api/viewer-settings", options);
  }

  /** Replaces what the environment's viewer tokens contain, whole. @throws {UserGroupsError} */
  setViewerSettings(settings: ViewerSettings, options: CallOptions = {}): Promise<ViewerSettingsAnswer> {
    const path = "/api/viewer-settings";
    return this.#transport.json({ method: "PUT", path, body: settings, options, repeatable: true });
  }

  /** What every group of the environment must have. @throws {UserGroupsError} */
  definitions(options: CallOptions = {}): Promise<Tagged<DefinitionsAnswer>> {
    return this.#transport.tagged({ method: "GET", path: "/api/definitions", options, repeatable: true });
  }

  /**
   * Replaces the definitions, whole; groups stay as they are.
   * @throws {UserGroupsError} `stale`
   */
  setDefinitions(definitions: Definitions, options: ChangeOptions = {}): Promise<Tagged<DefinitionsAnswer>> {
    return this.#transport.tagged({
      ...{ method: "PUT", path: "/api/definitions", body: definitions },
      ...changing(options),
    });
  }

  /** Returns the definitions with more that are read off the newest groups, to edit and then set. */
  suggestDefinitions(options: CallOptions = {}): Promise<SuggestedDefinitions> {
    return this.#transport.get("/api/definitions/suggestion", options);
  }

  /**
   * What was found in all groups, counted: what definitions miss, and what shows only among many.
   * @throws {UserGroupsError}
   */
  findings(options: CallOptions = {}): Promise<Findings> {
    return this.#transport.get("/api/definitions/findings", options);
  }

  /**
   * Begins a job that changes one member of every group with a finding: `jobs.wait` for its check, then `jobs.apply`
   * it.
   * @throws {UserGroupsError} `conflict` when many jobs are open
   */
  fixFinding(fix: FixRequest, options: CallOptions = {}): Promise<JobAnswer> {
    return this.#transport.post("/api/definitions/fixes", fix, options, { repeatable: false });
  }

  /**
   * Suspends a group: renderers stop serving it, and it keeps its token.
   * @throws {UserGroupsError} `unknown_user_group`, `stale`
   */
  suspend(id: string, { reason, ...options }: SuspendOptions = {}): Promise<Tagged<GroupState>> {
    const path = "/api/user-groups/suspend";
    return this.#transport.tagged({ method: "POST", path, body: { user_group_id: id, reason }, ...changing(options) });
  }

  /**
   * Ends a suspension.
   * @throws {UserGroupsError} `unknown_user_group`, `stale`
   */
  resume(id: string, options: ChangeOptions = {}): Promise<Tagged<GroupState>> {
    const path = "/api/user-groups/resume";
    return this.#transport.tagged({ method: "POST", path, body: { user_group_id: id }, ...changing(options) });
  }

  /**
   * Deletes a group; it can be restored for some days. Not repeated: another may have created the id again.
   * @throws {UserGroupsError} `unknown_user_group`, `unknown_token`, `stale`
   */
  delete(group: GroupDeletion, options: ChangeOptions = {}): Promise<Done> {
    const call = { ...changing(options), repeatable: false };
    return this.#transport.json({ method: "DELETE", path: "/api/user", body: group, ...call });
  }

  /**
   * Restores a deleted group with its token, and says what the definitions find.
   * @throws {UserGroupsError} `unknown_user_group`, or `conflict` when another group has the id now
   */
  restore(group: GroupRestoration, options: CallOptions = {}): Promise<Tagged<RestoredGroup>> {
    const path = "/api/user-groups/restore";
    return this.#transport.tagged({ method: "POST", path, body: group, options, repeatable: false });
  }

  /**
   * Erases a deleted group for good.
   * @throws {UserGroupsError} `unknown_user_group`, or `conflict` when the group is not deleted
   */
  purge(teamId: number, options: CallOptions = {}): Promise<Done> {
    return this.#transport.post("/api/user-groups/purge", { team_id: teamId }, options, { repeatable: false });
  }

  /** Returns a page of groups. @throws {UserGroupsError}, or {TypeError} for an empty list of ids */
  async list(query: GroupListQuery = {}, options: CallOptions = {}): Promise<GroupList> {
    // A query cannot hold an empty list: without its parameter all groups would match.
    if (query.user_group_id?.length === 0 || query.team_id?.length === 0)
      throw new TypeError("the list of ids is empty");
    return this.#transport.get("/api/user-groups", options, query);
  }

  /**
   * Every group that matches, in order of `team_id`: a group that exists during the whole walk comes exactly once. Any
   * number of ids can be given; unknown ones are left out.
   * @throws {UserGroupsError}
   */
  async *iterate(
    query: Omit<GroupListQuery, "cursor" | "sort"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ListedGroup, void, undefined> {
    for (const part of inParts(query)) {
      const pages = everyPage((place) => this.list({ limit: MAX_PAGE, ...part, ...place }, options));
      for await (const page of pages) yield* page.user_groups;
    }
  }

  /** Counts the groups by state, and tells the properties and values of a sample. @throws {UserGroupsError} */
  summary(options: CallOptions = {}): Promise<Summary> {
    return this.#transport.get("/api/user-groups/summary", options);
  }

  /** Returns a page of what was done, newest first. @throws {UserGroupsError} */
  history(query: HistoryQuery = {}, options: CallOptions = {}): Promise<History> {
    return this.#transport.get("/api/user-groups/history", options, query);
  }

  /** Counts what was done, an hour at a time: the newest 50,000 entries. @throws {UserGroupsError} */
  historyCounts(query: Omit<HistoryQuery, "cursor" | "limit"> = {}, options: CallOptions = {}): Promise<HistoryCounts> {
    return this.#transport.get("/api/user-groups/history/counts", options, query);
  }

  /** What was done, newest first. @throws {UserGroupsError} */
  async *iterateHistory(
    query: Omit<HistoryQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<HistoryEntry, void, undefined> {
    const pages = everyPage((place) => this.history({ limit: MAX_ENTRIES, ...query, ...place }, options));
    for await (const page of pages) yield* page.entries;
  }

  /** Returns a page of what changed after a cursor, oldest first. @throws {UserGroupsError} `cursor_gone` */
  events(query: EventsQuery = {}, options: CallOptions = {}): Promise<Events> {
    const heldMs = (query.wait ?? 0) * 1_000;
    return this.#transport.json({ method: "GET", path: "/api/events", query, options, repeatable: true, heldMs });
  }

  /**
   * Every change after a cursor, oldest first: up to now, or for ever with `wait`. Each page is a call. Read `cursor`
   * of the feed to continue later.
   * @throws {UserGroupsError} `cursor_gone`
   */
  iterateEvents(query: EventsQuery = {}, options: CallOptions = {}): EventFeed {
    return new EventFeed((page) => this.events({ limit: MAX_PAGE, ...page }, options), query);
  }

  /** How often renderers checked tokens on each day. @throws {UserGroupsError} */
  usage(query: UsageQuery = {}, options: CallOptions = {}): Promise<Usage> {
    return this.#transport.get("/api/usage", options, query);
  }

  /**
   * Returns a page of the groups that were used, most checks first; named ones in the order given.
   * @throws {UserGroupsError}
   */
  usageByGroup(query: GroupUsageQuery = {}, options: CallOptions = {}): Promise<GroupUsage> {
    return this.#transport.get("/api/usage", options, { ...query, by: "user_group" });
  }

  /** Returns a page of the deleted groups that can be restored. @throws {UserGroupsError} */
  deleted(query: DeletedQuery = {}, options: CallOptions = {}): Promise<DeletedList> {
    return this.#transport.get("/api/user-groups/deleted", options, query);
  }

  /** The deleted groups that can be restored, the last deleted first. @throws {UserGroupsError} */
  async *iterateDeleted(
    query: Omit<DeletedQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<DeletedGroup, void, undefined> {
    const pages = everyPage((place) => this.deleted({ limit: MAX_PAGE, ...query, ...place }, options));
    for await (const page of pages) yield* page.user_groups;
  }

  /**
   * The groups that match as JSON lines, as the service streams them. The deadline is for the first, and the timeout
   * for the wait for each piece.
   * @throws {UserGroupsError} `unreachable` when the connection closes before the end
   */
  async *export(selection: GroupSelection = {}, options: CallOptions = {}): AsyncGenerator<string, void, undefined> {
    const path = "/api/user-groups/export";
    const query = { ...selection, format: "jsonl" };
    yield* linesOf(await this.#transport.stream({ method: "GET", path, query, options, repeatable: true }));
  }

  /**
   * Creates, changes, deletes or rotates up to 500 groups. Repeated with its key, it does only what was left; so does
   * the client while groups have the error `unavailable`.
   * @throws {UserGroupsError} when all of it is refused; a group's own error is in its result
   */
  batch(request: BatchRequest, options: KeyedOptions = {}): Promise<BatchAnswer> {
    const path = "/api/user-groups/batch";
    return this.#transport.json({
      ...{ method: "POST", path, body: request, ...once(options), isBulk: true },
      isUnfinished: (answer) => (answer as BatchAnswer).results.some(({ error }) => error?.code === "unavailable"),
    });
  }
}

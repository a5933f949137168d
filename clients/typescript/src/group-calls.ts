import type { GroupDeletion, NamedGroup, ViewedGroup } from "./bodies.js";
import type * as api from "./openapi.js";
import {
  type ChangeOptions,
  changing,
  once,
  type ReplaceOptions,
  type RotateOptions,
  type SuspendOptions,
  type TokenOptions,
  type ViewerOptions,
} from "./options.js";
import type { CallOptions, Tagged, Transport } from "./transport.js";

/** The calls about one user group. */
export class GroupCalls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Returns the group with this id, or creates it from the other fields.
   * @throws {UserGroupsError}
   */
  getOrCreate(group: api.GroupRequest, options: CallOptions = {}): Promise<Tagged<api.FoundGroup>> {
    // Not GET /api/user, the same call: fetch cannot send a body with GET.
    return this.#transport.tagged("POST /api/user/get-or-create", group, { options });
  }

  /**
   * Updates a group: omitted fields stay unchanged; mapping and properties are replaced whole.
   * @throws {UserGroupsError} `unknown_user_group` when no group has this id, `stale`
   */
  update(group: api.GroupRequest, options: ChangeOptions = {}): Promise<Tagged<api.UpdatedGroup>> {
    return this.#transport.tagged("PUT /api/user", group, changing(options));
  }

  /**
   * Merges into a group: within mapping and properties only the given members change, and null removes a member.
   * `new_user_group_id` gives it another id.
   * @throws {UserGroupsError} `unknown_user_group` when no group has this id, `renamed`, `id_taken`, `stale`
   */
  merge(group: api.GroupPatch, options: ChangeOptions = {}): Promise<Tagged<api.UpdatedGroup>> {
    const call = changing(options);
    // Once renamed, a repetition would be refused: the group no longer has the id.
    const repeatable = call.repeatable && group.new_user_group_id === undefined;
    return this.#transport.tagged("PATCH /api/user", group, { ...call, repeatable });
  }

  /**
   * Creates a group, or merges into the one that has this id.
   * @throws {UserGroupsError}
   */
  upsert(group: api.GroupMerge, options: CallOptions = {}): Promise<Tagged<api.UpsertedGroup>> {
    return this.#transport.tagged("POST /api/user/upsert", group, { options });
  }

  /**
   * Gives a group a new token; the current one stops working immediately, or after an overlap.
   * @throws {UserGroupsError} `unknown_token` when it is not a group's current token, `overlap_running`
   */
  rotate(currentToken: string, { overlapSeconds, ...options }: RotateOptions = {}): Promise<Tagged<api.RotatedGroup>> {
    const body = { current_token: currentToken, overlap_seconds: overlapSeconds };
    return this.#transport.tagged("POST /api/user", body, once(options));
  }

  /**
   * Gives a group a new token, without the current one. Of several callers with the same `ifMatch`, one succeeds.
   * @throws {UserGroupsError} `unknown_user_group`, `stale`, `overlap_running`
   */
  replaceToken(
    group: NamedGroup,
    { ifMatch, overlapSeconds, ...options }: ReplaceOptions = {},
  ): Promise<Tagged<api.RotatedGroup>> {
    const body = { ...group, overlap_seconds: overlapSeconds };
    return this.#transport.tagged("POST /api/user-groups/rotate", body, once(options, ifMatch));
  }

  /**
   * Ends the overlap of a group's last rotation: the previous token stops working immediately.
   * @throws {UserGroupsError} `unknown_user_group`
   */
  endOverlap(id: string, options: CallOptions = {}): Promise<api.EndedOverlap> {
    return this.#transport.post("/api/user/end-overlap", { user_group_id: id }, options);
  }

  /**
   * Returns a group with its current token; the history records it.
   * @throws {UserGroupsError} `unknown_user_group`
   */
  token(group: NamedGroup, { purpose, ...options }: TokenOptions = {}): Promise<Tagged<api.RotatedGroup>> {
    return this.#transport.tagged("POST /api/user-groups/token", { ...group, purpose }, { options });
  }

  /** Finds the owner of a token in a text. @throws {UserGroupsError} */
  findByToken(text: string, options: CallOptions = {}): Promise<api.TokenOwner> {
    return this.#transport.post("/api/user-groups/find-by-token", { text }, options);
  }

  /**
   * Identifies the viewing group by its token, as a renderer of dashboards does.
   * @throws {UserGroupsError}
   */
  viewer(token: string, { strict, ...options }: ViewerOptions = {}): Promise<api.Viewer> {
    return this.#transport.post("/api/viewer", { token, strict }, options);
  }

  /**
   * Mints a viewer token: signed, short-lived, for one page view.
   * @throws {UserGroupsError} `unknown_user_group`, `unknown_token`, `not_active`, `viewer_ended`
   */
  mintViewerToken(group: ViewedGroup & api.ViewerTokenOptions, options: CallOptions = {}): Promise<api.ViewerToken> {
    return this.#transport.post("/api/viewer-tokens", group, options);
  }

  /**
   * Revokes all viewer tokens of a group; its user group token stays.
   * @throws {UserGroupsError} `unknown_user_group`
   */
  endViews(id: string, options: CallOptions = {}): Promise<api.ViewsEnded> {
    return this.#transport.post("/api/user-groups/end-views", { user_group_id: id }, options);
  }

  /**
   * Revokes the viewer tokens issued until now to one person of a group, and can block further ones.
   * @throws {UserGroupsError} `unknown_user_group`
   */
  endViewer(ending: api.ViewerEnding, options: CallOptions = {}): Promise<api.ViewerEnded> {
    return this.#transport.post("/api/viewers/end", ending, options);
  }

  /** Returns where a group's dashboards may be embedded. @throws {UserGroupsError} `unknown_user_group` */
  allowedOrigins(id: string, options: CallOptions = {}): Promise<api.AllowedOrigins> {
    return this.#transport.get("/api/user-groups/allowed-origins", options, { user_group_id: id });
  }

  /** Sets where a group's dashboards may be embedded; null for the environment's origins. @throws {UserGroupsError} */
  setAllowedOrigins(
    id: string,
    origins: readonly string[] | null,
    options: CallOptions = {},
  ): Promise<api.AllowedOrigins> {
    const body = { user_group_id: id, allowed_origins: origins };
    return this.#transport.json("PUT /api/user-groups/allowed-origins", body, { options });
  }

  /**
   * Suspends a group: renderers stop serving it, but it keeps its token.
   * @throws {UserGroupsError} `unknown_user_group`, `stale`
   */
  suspend(id: string, { reason, ...options }: SuspendOptions = {}): Promise<Tagged<api.GroupState>> {
    return this.#transport.tagged("POST /api/user-groups/suspend", { user_group_id: id, reason }, changing(options));
  }

  /**
   * Ends a suspension.
   * @throws {UserGroupsError} `unknown_user_group`, `stale`
   */
  resume(id: string, options: ChangeOptions = {}): Promise<Tagged<api.GroupState>> {
    return this.#transport.tagged("POST /api/user-groups/resume", { user_group_id: id }, changing(options));
  }

  /**
   * Deletes a group; it can be restored for some days. Retried only after 429: another group may have the id by then.
   * @throws {UserGroupsError} `unknown_user_group`, `unknown_token`, `stale`
   */
  delete(group: GroupDeletion, options: ChangeOptions = {}): Promise<api.Done> {
    return this.#transport.json("DELETE /api/user", group, { ...changing(options), repeatable: false });
  }

  /**
   * Restores a deleted group with its token, and returns its problems by the definitions.
   * @throws {UserGroupsError} `unknown_user_group`, or `conflict` when another group has the id now
   */
  restore(group: api.GroupRestoration, options: CallOptions = {}): Promise<Tagged<api.RestoredGroup>> {
    return this.#transport.tagged("POST /api/user-groups/restore", group, { options, repeatable: false });
  }

  /**
   * Erases a deleted group for good.
   * @throws {UserGroupsError} `unknown_user_group`, or `conflict` when the group is not deleted
   */
  purge(teamId: number, options: CallOptions = {}): Promise<api.Done> {
    return this.#transport.postOnce("/api/user-groups/purge", { team_id: teamId }, options);
  }
}

import { randomBytes } from "node:crypto";
import { type Asked, authorOf, type Caller } from "@/lib/auth/caller";
import { env, isLoopback, publicUrl } from "@/lib/config/env";
import { tokenIndexes } from "@/lib/crypto/group-token";
import { viewerKey as keyOfViewer, viewerHash } from "@/lib/crypto/viewer-key";
import { requireDefinedValues, withDefaults } from "@/lib/definitions/judge";
import { recentDefinitions } from "@/lib/definitions/service";
import { AppError } from "@/lib/errors";
import { byToken, noGroup } from "@/lib/groups/group";
import { unknownToken } from "@/lib/groups/rotation";
import type { GroupCall } from "@/lib/groups/service";
import { noteUse } from "@/lib/groups/use";
import { writeJson } from "@/lib/json/raw-json";
import type { GroupKey, GroupRow, Issuance } from "@/lib/store/group-row";
import { findByPrevious } from "@/lib/store/previous-token";
import {
  type EndedViewer,
  endViewer,
  endViews,
  findOrigins,
  type Generation,
  type Origins,
  setOrigins,
} from "@/lib/store/views";
import {
  addVariables,
  DEFAULT_LIFE,
  type TokenViewer,
  templateIn,
  viewerClaims,
  viewerId,
  visibleMembers,
} from "@/lib/viewer-tokens/claims";
import { plainly, signClaims } from "@/lib/viewer-tokens/key";
import { materialOf, signingKey } from "@/lib/viewer-tokens/material";
import type { EndViewerRequest, MintRequest } from "@/lib/viewer-tokens/mint-schema";
import { requirePartsToFit, requireSize } from "@/lib/viewer-tokens/token-size";

/** A new viewer token. */
export interface Minted {
  token: string;
  /** milliseconds since 1970 */
  expiresAt: number;
  /** identifies its viewer within the group */
  viewerKey: string | undefined;
}

type Wishes = Pick<MintRequest, "viewer" | "content" | "expires_in" | "audience" | "variables" | "template" | "typ">;

/** Keys to find the group to mint a token for; the look-up also says when its viewer's views were ended. */
export function toMintFor({ user_group_id: providedId = "", token, viewer }: MintRequest): GroupKey[] {
  const keys: GroupKey[] = token === undefined ? [{ providedId }] : byToken(token);
  const hash = hashOf(viewer);
  return keys.map((key) => ({ ...key, forViewerToken: true, viewer: hash }));
}

function hashOf(viewer: TokenViewer | undefined): Buffer | undefined {
  const id = viewerId(viewer);
  return id === undefined ? undefined : viewerHash(id);
}

/**
 * Mints a viewer token for the group that the request named.
 * @throws {AppError} `unknown_user_group`, `unknown_token`, `not_active`, `viewer_ended`, `invalid_fields`, or
 * `unavailable` without PUBLIC_URL
 */
export async function mintViewerToken(request: GroupCall<MintRequest>): Promise<Minted> {
  const { caller, input } = request;
  const issuer = issuerOf(caller.environment.slug);
  const { token, viewer } = input;
  let { group } = request;
  if (!group && token !== undefined) {
    group = await findByPrevious(caller.environment.id, tokenIndexes(token), { viewer: hashOf(viewer) });
  }
  if (!group) {
    return token === undefined ? noGroup(caller.environment.id, input.user_group_id) : unknownToken("token");
  }
  const minted = await mint({ environment: caller.environment, issuer, group, wishes: input });
  noteUse(group, token !== undefined, minted.viewerKey);
  return minted;
}

/** Mints a token for "View as", which says so in a claim. */
export function mintPreview(environment: Caller["environment"], group: GroupRow, viewer: string): Promise<Minted> {
  return mint({ environment, issuer: issuerOf(environment.slug), group, wishes: { viewer }, preview: true });
}

interface Minting {
  environment: Caller["environment"];
  issuer: string;
  group: GroupRow;
  wishes: Wishes;
  preview?: true;
}

async function mint({ environment, issuer, group, wishes, preview }: Minting): Promise<Minted> {
  const { now, version } = issuanceOf(group);
  requireActive(group, now);
  requireUnblocked(group, now);
  const material = await materialOf(environment.id, version);
  const { settings } = material;
  const template = wishes.template === undefined ? undefined : templateIn(settings, wishes.template);
  const { team_id, provided_id, name, gen, ownOrigins, mapping: stored = "{}", properties } = group;
  const definitions = await recentDefinitions(environment.id, version);
  const own = withDefaults(definitions, properties);
  const visible = visibleMembers(own, [...settings.visible.properties, ...definitions.visible]);
  const { defined, overridable } = definitions;
  const variables = addVariables(visible, wishes.variables, { own, defined, overridable });
  if (wishes.variables) requireDefinedValues(definitions, wishes.variables.text);
  const mapping = visibleMembers(stored, settings.visible.mapping);
  const { audience, viewer, content } = wishes;
  const parts = { variables, mapping, viewer, content };
  requirePartsToFit(parts);
  const hash = hashOf(viewer);
  const viewerKey = hash && keyOfViewer(hash, group).toString("base64url");
  const second = Math.floor(now / 1_000);
  // Tokens issued in the second in which the viewer's views were ended are revoked, so issue this one in the next.
  const iat = Math.max(second, (group.viewerEnd?.second ?? 0) + 1);
  const exp = Math.min(second + (wishes.expires_in ?? template?.expires_in ?? DEFAULT_LIFE), lastSecondOf(group));
  const claims = viewerClaims({
    issuer,
    environment: environment.slug,
    group: { team_id, provided_id, name, gen },
    settings,
    template,
    audience,
    viewer,
    viewerKey,
    content,
    variables,
    mapping,
    ownOrigins,
    stored: { properties: own, mapping: stored },
    issued: { iat, exp, jti: randomBytes(16).toString("base64url"), preview },
  });
  const key = await signingKey(environment.id, { material, template: wishes.template ?? null, now });
  const token = signClaims(wishes.typ === "JWT" ? plainly(key) : key, writeJson(claims));
  requireSize(token.length, parts);
  return { token, expiresAt: exp * 1_000, viewerKey };
}

/** @throws when the group was not read for a viewer token */
export function issuanceOf({ issuance }: GroupRow): Issuance {
  if (!issuance) throw new Error("a viewer token's group was read without the database's time");
  return issuance;
}

function requireActive(group: GroupRow, now: number) {
  if (group.state === "suspended") {
    throw new AppError("not_active", "The user group is suspended. Resume it to create viewer tokens.");
  }
  // A token's times are whole seconds, so the last, incomplete second is too short for a token.
  if (!group.hasEnded && lastSecondOf(group) > Math.floor(now / 1_000)) return;
  if (group.previous && !group.hasEnded) unknownToken("token");
  throw new AppError("not_active", "The user group's access has ended. Change access_ends_at to create viewer tokens.");
}

function requireUnblocked({ viewerEnd }: GroupRow, now: number) {
  if (!viewerEnd || viewerEnd.blockedUntil <= now) return;
  const until = new Date(viewerEnd.blockedUntil).toISOString();
  throw new AppError("viewer_ended", `The views of this person were ended, and minting is blocked until ${until}.`);
}

/** The last whole second in which the group can be viewed with the token that found it. */
function lastSecondOf({ access_ends_at, previous }: GroupRow): number {
  const ends = [access_ends_at, previous?.validUntil].map((end) => end?.getTime() ?? Number.POSITIVE_INFINITY);
  return Math.floor(Math.min(...ends) / 1_000);
}

/**
 * The issuer of an environment's viewer tokens, below which verifiers find its keys.
 * @throws {AppError} `unavailable` without PUBLIC_URL, unless the service is for this machine alone
 */
export function issuerOf(slug: string): string {
  const { PUBLIC_URL, HOST } = env();
  if (!PUBLIC_URL && !isLoopback(HOST)) {
    throw new AppError(
      "unavailable",
      "PUBLIC_URL is not set, so viewer tokens would have no issuer. Set it to the service's URL, and restart.",
      { headers: { "Retry-After": "60" }, cause: "PUBLIC_URL is not set" },
    );
  }
  return `${publicUrl()}/e/${slug}`;
}

/**
 * Revokes all viewer tokens of a group. Its user group token stays.
 * @throws {AppError} `unknown_user_group`
 */
export async function endAllViews({ caller, input }: Asked<{ user_group_id: string }>): Promise<Generation> {
  const { id } = caller.environment;
  return (await endViews(id, input.user_group_id, authorOf(caller))) ?? noGroup(id, input.user_group_id);
}

/**
 * Revokes the viewer tokens issued until now to one person of a group, and can block further ones.
 * @throws {AppError} `unknown_user_group`, or `invalid_fields` for a block that is not within a year
 */
export async function endViewsOf({ caller, input }: Asked<EndViewerRequest>): Promise<EndedViewer> {
  const { user_group_id: providedId, viewer_id, blocked_until: blockedUntil } = input;
  const ending = { environmentId: caller.environment.id, providedId, viewer: viewerHash(viewer_id), blockedUntil };
  return (await endViewer(ending, authorOf(caller))) ?? noGroup(ending.environmentId, providedId);
}

/**
 * Sets where a group's dashboards may be embedded.
 * @throws {AppError} `unknown_user_group`
 */
export async function changeOrigins({
  caller,
  input,
}: Asked<{ user_group_id: string; allowed_origins: string[] | null }>): Promise<Origins> {
  const place = { environmentId: caller.environment.id, providedId: input.user_group_id };
  const origins = await setOrigins(place, input.allowed_origins, authorOf(caller));
  return origins ?? noGroup(place.environmentId, place.providedId);
}

/** @throws {AppError} `unknown_user_group` */
export async function readOrigins({ caller, input }: Asked<{ user_group_id: string }>): Promise<Origins> {
  const { id } = caller.environment;
  return (await findOrigins(id, input.user_group_id)) ?? noGroup(id, input.user_group_id);
}

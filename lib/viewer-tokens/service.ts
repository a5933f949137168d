import { randomBytes } from "node:crypto";
import { type Asked, authorOf, type Caller } from "@/lib/auth/caller";
import { env, isLoopback, publicUrl } from "@/lib/config/env";
import { tokenIndexes } from "@/lib/crypto/group-token";
import { requireDefinedValues, withDefaults } from "@/lib/definitions/judge";
import { recentDefinitions } from "@/lib/definitions/service";
import { AppError } from "@/lib/errors";
import { byToken, noGroup } from "@/lib/groups/group";
import { unknownToken } from "@/lib/groups/rotation";
import type { GroupCall } from "@/lib/groups/service";
import { noteUse, noteView } from "@/lib/groups/use";
import { writeJson } from "@/lib/json/raw-json";
import type { GroupKey, GroupRow, Issuance } from "@/lib/store/group-row";
import { findByPrevious } from "@/lib/store/previous-token";
import { endViews, findOrigins, type Generation, type Origins, setOrigins } from "@/lib/store/views";
import {
  addVariables,
  DEFAULT_LIFE,
  templateIn,
  viewerClaims,
  viewerId,
  visibleMembers,
} from "@/lib/viewer-tokens/claims";
import { signClaims } from "@/lib/viewer-tokens/key";
import { materialOf, signingKey } from "@/lib/viewer-tokens/material";
import type { MintRequest } from "@/lib/viewer-tokens/mint-schema";
import { requirePartsToFit, requireSize } from "@/lib/viewer-tokens/token-size";

/** A new viewer token. */
export interface Minted {
  token: string;
  /** milliseconds since 1970 */
  expiresAt: number;
}

type Wishes = Pick<MintRequest, "viewer" | "expires_in" | "audience" | "variables" | "template">;

/** Keys to find the group to mint a token for. */
export function toMintFor({ user_group_id: providedId = "", token }: MintRequest): GroupKey[] {
  const keys: GroupKey[] = token === undefined ? [{ providedId }] : byToken(token);
  return keys.map((key) => ({ ...key, forViewerToken: true }));
}

/**
 * Mints a viewer token for the group that the request named.
 * @throws {AppError} `unknown_user_group`, `unknown_token`, `not_active`, `invalid_fields`, or `unavailable` without
 * PUBLIC_URL
 */
export async function mintViewerToken(request: GroupCall<MintRequest>): Promise<Minted> {
  const { caller, input } = request;
  const issuer = issuerOf(caller.environment.slug);
  const { token } = input;
  let { group } = request;
  if (!group && token !== undefined) group = await findByPrevious(caller.environment.id, tokenIndexes(token));
  if (!group) return token === undefined ? noGroup() : unknownToken("token");
  const minted = await mint({ environment: caller.environment, issuer, group, wishes: input });
  if (token === undefined) noteView(group, viewerId(input.viewer));
  else noteUse(group, viewerId(input.viewer));
  return minted;
}

/** Mints a token for "View as", which says so in a claim. */
export function mintPreview(environment: Caller["environment"], group: GroupRow, viewer: string): Promise<Minted> {
  const wishes = { viewer, expires_in: DEFAULT_LIFE };
  return mint({ environment, issuer: issuerOf(environment.slug), group, wishes, preview: true });
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
  const material = await materialOf(environment.id, version);
  const { settings } = material;
  const template = wishes.template === undefined ? undefined : templateIn(settings, wishes.template);
  const { team_id, provided_id, gen, ownOrigins, mapping: stored = "{}", properties } = group;
  const definitions = await recentDefinitions(environment.id, version);
  const own = withDefaults(definitions, properties);
  const visible = visibleMembers(own, [...settings.visible.properties, ...definitions.visible]);
  const { defined, overridable } = definitions;
  const variables = addVariables(visible, wishes.variables, { own, defined, overridable });
  if (wishes.variables) requireDefinedValues(definitions, wishes.variables.text);
  const mapping = visibleMembers(stored, settings.visible.mapping);
  requirePartsToFit({ variables, mapping });
  const iat = Math.floor(now / 1_000);
  const exp = Math.min(iat + wishes.expires_in, lastSecondOf(group));
  const claims = viewerClaims({
    ...{ issuer, environment: environment.slug, group: { team_id, provided_id, gen }, settings, template, ownOrigins },
    ...{ audience: wishes.audience, viewer: wishes.viewer, variables, mapping },
    issued: { iat, exp, jti: randomBytes(16).toString("base64url"), preview },
  });
  const key = await signingKey(environment.id, { material, template: wishes.template ?? null, now });
  const token = signClaims(key, writeJson(claims));
  requireSize(token.length, { variables, mapping });
  return { token, expiresAt: exp * 1_000 };
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
  // A token's times are whole seconds: the last, incomplete one is too short for one.
  if (!group.hasEnded && lastSecondOf(group) > Math.floor(now / 1_000)) return;
  if (group.previous && !group.hasEnded) unknownToken("token");
  throw new AppError("not_active", "The user group's access has ended. Change access_ends_at to create viewer tokens.");
}

/** The last whole second in which the group may be viewed by the token that found it. */
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
  return (await endViews(caller.environment.id, input.user_group_id, authorOf(caller))) ?? noGroup();
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
  return (await setOrigins(place, input.allowed_origins, authorOf(caller))) ?? noGroup();
}

/** @throws {AppError} `unknown_user_group` */
export async function readOrigins({ caller, input }: Asked<{ user_group_id: string }>): Promise<Origins> {
  return (await findOrigins(caller.environment.id, input.user_group_id)) ?? noGroup();
}

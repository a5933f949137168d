import { errors, jwtVerify } from "jose";
import { noteRenderer } from "@/lib/auth/api-token-caller";
import type { Caller } from "@/lib/auth/caller";
import { tokenIndexes } from "@/lib/crypto/group-token";
import { viewerHash } from "@/lib/crypto/viewer-key";
import { effectOf } from "@/lib/definitions/judge";
import { type KnownDefinitions, recentDefinitions } from "@/lib/definitions/service";
import type { Answer } from "@/lib/endpoint/call";
import { byToken } from "@/lib/groups/group";
import { answerInactive, answerViewer } from "@/lib/groups/serialize";
import type { GroupCall } from "@/lib/groups/service";
import { noteUse } from "@/lib/groups/use";
import { anyJson } from "@/lib/json/any-json";
import { readStoredMembers } from "@/lib/json/json";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";
import { RawJson } from "@/lib/json/raw-json";
import type { GroupKey, GroupRow } from "@/lib/store/group-row";
import { findByPrevious } from "@/lib/store/previous-token";
import { type SigningKey, VIEWER_TOKEN_TYPE } from "@/lib/viewer-tokens/key";
import { materialOf, originsOf } from "@/lib/viewer-tokens/material";
import { issuanceOf } from "@/lib/viewer-tokens/service";

/** A JWT is base64url of a JSON object, so it begins like this; a user group token never does. */
const JWT_START = "eyJ";
/**
 * The only accepted spelling of a viewer token: verifiers ignore white space, and unused bits in the last character.
 */
const VIEWER_TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/;
const MAX_LENGTH = 8_192;

/** Keys to find the group of a presented token of either kind; a viewer token's are not verified yet. */
export function byPresented(token: string): GroupKey[] {
  if (!token.startsWith(JWT_START)) return byToken(token);
  const isSpelt = token.length <= MAX_LENGTH && VIEWER_TOKEN.test(token);
  const unverified = isSpelt ? (anyJson(payloadOf(token)) as Record<string, unknown> | null | undefined) : undefined;
  const teamId = unverified?.team_id;
  const isNumber = Number.isInteger(teamId) && Number(teamId) > 0 && Number(teamId) <= LARGEST_NUMBER;
  const viewer = viewerIn(unverified?.viewer);
  return isNumber
    ? [{ teamId: Number(teamId), forViewerToken: true, ...(viewer !== undefined && { viewer: viewerHash(viewer) }) }]
    : [];
}

/** The viewer's id from the claim `viewer`: tokens of earlier releases have no viewer_key. */
function viewerIn(claim: unknown): string | undefined {
  const id = typeof claim === "object" && claim !== null && "id" in claim ? claim.id : claim;
  return typeof id === "string" ? id : undefined;
}

const payloadOf = (token: string) => Buffer.from(token.split(".")[1] ?? "", "base64url").toString();

type Presented = GroupCall<{ token: string; strict: boolean }>;

/**
 * Answers which group a presented token belongs to: its current token, its previous one in an overlap, or a viewer
 * token.
 */
export function identifyViewer(presented: Presented): Answer | Promise<Answer> {
  const { caller, group, input } = presented;
  noteRenderer(caller, "asked", performance.now());
  if (!input.token.startsWith(JWT_START)) {
    return group ? answerToken(caller, group, input.strict) : identifyByPrevious(presented);
  }
  return group ? identifyByViewerToken({ caller, group, input }) : answerInactive();
}

async function identifyByPrevious({ caller, input }: Presented): Promise<Answer> {
  const group = await findByPrevious(caller.environment.id, tokenIndexes(input.token));
  return group ? answerToken(caller, group, input.strict) : answerInactive();
}

/** Answers by user group token. */
function answerToken(caller: Caller, group: GroupRow, isStrict: boolean): Answer | Promise<Answer> {
  noteUse(group, true);
  const { id } = caller.environment;
  const origins = group.ownOrigins ?? originsOf(id);
  const definitions = recentDefinitions(id);
  const answer = (allowed: string[] | null, known: KnownDefinitions) =>
    answerViewer(group, caller, { origins: allowed, effect: effectOf(known, group), isStrict });
  if (origins instanceof Promise || definitions instanceof Promise) {
    return Promise.all([origins, definitions]).then(([allowed, known]) => answer(allowed, known));
  }
  return answer(origins, definitions);
}

async function identifyByViewerToken(presented: Presented & { group: GroupRow }): Promise<Answer> {
  const { caller, group, input } = presented;
  const { token, strict: isStrict } = input;
  const { now, version, created } = issuanceOf(group);
  const { keys, settings } = await materialOf(caller.environment.id, version);
  const claims = await verify(token, keys, now);
  // After a restored backup or a failover, a new group can have the number of a lost one.
  const isOfLost = typeof claims === "object" && !(Number(claims.iat) >= created);
  if (claims === "invalid" || isOfLost) return answerInactive();
  if (group.state === "suspended") return answerInactive("suspended");
  if (group.hasEnded) return answerInactive("ended");
  if (claims === "expired") return answerInactive("expired");
  const { preview, viewer_key, exp = 0, iat = 0 } = claims;
  // A mint concurrent with the end of the views may have missed the block, so while the block lasts, none of the
  // person's tokens is valid.
  const isEnded = group.viewerEnd && (iat <= group.viewerEnd.second || now < group.viewerEnd.blockedUntil);
  if (claims.gen !== group.gen || isEnded) return answerInactive("revoked");
  // A preview's viewer is a member, and not counted.
  noteUse(group, false, typeof viewer_key === "string" && preview !== true ? viewer_key : undefined);
  // The exact text: JSON.parse would reorder members and change large numbers.
  const { viewer = null, variables, content } = readStoredMembers(payloadOf(token));
  return answerViewer(group, caller, {
    origins: group.ownOrigins ?? settings.allowed_origins,
    effect: effectOf(await recentDefinitions(caller.environment.id, version), group),
    isStrict,
    content: {
      viewer: viewer as string | RawJson | null,
      content: content as RawJson | undefined,
      variables: variables instanceof RawJson ? variables : new RawJson("{}", "object"),
      preview: preview === true,
      expires_at: new Date(exp * 1_000).toISOString(),
    },
  });
}

/** Ignores the issuer: the key is the environment's own, and PUBLIC_URL may have changed since. */
async function verify(token: string, keys: SigningKey[], now: number) {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = keys.find((one) => one.template === null && one.kid === kid);
        if (!key?.publicJwk) throw new errors.JWKSNoMatchingKey();
        return key.publicJwk;
      },
      {
        algorithms: ["ES256"],
        typ: VIEWER_TOKEN_TYPE,
        currentDate: new Date(now),
        requiredClaims: ["exp", "team_id", "gen"],
      },
    );
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) return "expired";
    if (error instanceof errors.JOSEError) return "invalid";
    throw error;
  }
}

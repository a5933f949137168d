import type { z } from "zod";
import { json, type WholeAnswer } from "@/lib/endpoint/call";
import type { EndedViewer, Generation, Origins } from "@/lib/store/views";
import type { discoveryAnswer } from "@/lib/viewer-tokens/key-schema";
import type {
  mintedAnswer,
  revocationsAnswer,
  viewerEndedAnswer,
  viewsEndedAnswer,
} from "@/lib/viewer-tokens/mint-schema";
import type { Revocations } from "@/lib/viewer-tokens/revocations";
import type { Minted } from "@/lib/viewer-tokens/service";
import type { groupOriginsAnswer, ViewerSettings, viewerSettingsAnswer } from "@/lib/viewer-tokens/settings-schema";
import type { View } from "@/lib/viewer-tokens/view-as";

/** An answer's members other than `success`. */
type Members<Schema extends z.ZodType<{ success: 1 }>> = Omit<z.infer<Schema>, "success">;

const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** How long verifiers and proxies may cache a key set and an issuer's metadata, in seconds. */
const KEY_SET_MAX_AGE = 300;

/** The answer with a viewer token. */
export function answerMinted({ token, expiresAt }: Minted): WholeAnswer {
  return json({ viewer_token: token, expires_at: timeOf(expiresAt) } satisfies Members<typeof mintedAnswer>);
}

/** A key set (RFC 7517). An empty one must not be cached, as the first key signs immediately. */
export function answerKeySet(keys: string[]): WholeAnswer {
  const headers = keys.length > 0 ? { "Cache-Control": `public, max-age=${KEY_SET_MAX_AGE}` } : {};
  return { status: 200, headers, body: `{"keys":[${keys.join(",")}]}\n` };
}

/** An issuer's metadata. */
export function answerDiscovery(issuer: string): WholeAnswer {
  const body: z.infer<typeof discoveryAnswer> = {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
  const headers = { "Cache-Control": `public, max-age=${KEY_SET_MAX_AGE}` };
  return { status: 200, headers, body: `${JSON.stringify(body)}\n` };
}

/** The answer with revocations. */
export function answerRevocations({ revocations, nextSince, hasMore }: Revocations): WholeAnswer {
  const body: Members<typeof revocationsAnswer> = {
    revocations: revocations.map((one) => ("gen" in one ? { team_id: one.team_id, gen: one.gen } : ended(one))),
    next_since: nextSince,
    has_more: hasMore,
  };
  return json(body);
}

const ended = ({ team_id, viewer_key, before }: EndedViewer) => ({
  team_id,
  viewer_key: viewer_key.toString("base64url"),
  before: before.toISOString(),
});

/** The answer when one person's views were ended. */
export function answerViewerEnded(viewer: EndedViewer, blockedUntil: Date | null): WholeAnswer {
  const blocked_until = blockedUntil?.toISOString() ?? null;
  return json({ ...ended(viewer), blocked_until } satisfies Members<typeof viewerEndedAnswer>);
}

/** The answer when all views of a group were ended. */
export function answerViewsEnded({ team_id, gen }: Generation): WholeAnswer {
  return json({ team_id, gen } satisfies Members<typeof viewsEndedAnswer>);
}

/** The answer with a group's origins. */
export function answerOrigins({ own, environment }: Origins): WholeAnswer {
  const body: Members<typeof groupOriginsAnswer> = { allowed_origins: own, effective_origins: own ?? environment };
  return json(body);
}

/** The answer with an environment's settings. */
export function answerSettings(settings: ViewerSettings): WholeAnswer {
  return json({ settings } satisfies Members<typeof viewerSettingsAnswer>);
}

/** The answer with the page of "View as". */
export function answerView({ url, expiresAt }: View): WholeAnswer {
  return json({ url, expires_at: timeOf(expiresAt) });
}

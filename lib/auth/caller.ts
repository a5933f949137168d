import type { Author } from "@/lib/authority/authority";
import { ACCESS_SCOPES, type Scope } from "@/lib/authority/scopes";
import { missingScopes, readOnly, viewerOnly } from "@/lib/errors";
import type { GroupRow } from "@/lib/store/group-row";
import type { Environment } from "@/lib/store/look-up";

/** The author of a request, and the request's environment. */
export interface Caller {
  actorType: Author["actorType"];
  actorId: string;
  actorName: string;
  scopes: ReadonlySet<Scope>;
  /** whether it is an API token from before scopes, which still gets its former answers */
  predatesScopes: boolean;
  environment: Environment;
  requestId: string;
  /** a member's session; null for an API token */
  sessionId: string | null;
  /** of an API token that was not looked up for this call: its row as text, which the change's statement compares */
  remembered?: string;
}

/** A caller, and the group that was looked up for it. */
export interface Identified {
  caller: Caller;
  group: GroupRow | undefined;
}

/** What a caller asks for. */
export interface Asked<Input> {
  caller: Caller;
  input: Input;
}

/** A change that a caller asks for; `ifMatch` is the If-Match header. */
export interface AskedIf<Input> extends Asked<Input> {
  ifMatch: string | undefined;
}

/** The author of a change of an environment's settings: a caller, or a command's operator. */
export type EnvironmentAuthor = Author & Pick<Caller, "environment">;

const WITH_WRITE_ACCESS: readonly Scope[] = ACCESS_SCOPES.write;

/**
 * Refuses a caller without these scopes.
 * @throws {AppError} `forbidden`
 */
export function requireScopes({ scopes, actorType, predatesScopes }: Caller, needed: readonly Scope[]) {
  const missing = needed.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  if (actorType === "member") throw viewerOnly();
  throw predatesScopes && missing.some((scope) => WITH_WRITE_ACCESS.includes(scope))
    ? readOnly()
    : missingScopes(missing);
}

/** The key for counting a caller's requests. */
export function countedAs({ actorType, actorId }: Pick<Caller, "actorType" | "actorId">): string {
  return `${actorType} ${actorId}`;
}

/** The caller as the history records it. */
export function authorOf({ actorType, actorId, actorName, requestId, sessionId }: Author): Author {
  return { actorType, actorId, actorName, requestId, sessionId };
}

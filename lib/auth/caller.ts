import type { Author } from "@/lib/db/authority";
import { readOnly } from "@/lib/errors";

/** The author of a request, and the request's environment. */
export interface Caller {
  actorType: Author["actorType"];
  actorId: string;
  actorName: string;
  access: "read" | "write";
  environment: { id: number; slug: string; tag: "Customer" | "Testing" };
  requestId: string;
  /** a member's session; null for an API token */
  sessionId: string | null;
}

/**
 * Refuses a read-only caller.
 * @throws {AppError} `forbidden`
 */
export function requireWrite({ access }: Caller) {
  if (access === "write") return;
  throw readOnly();
}

/** The key for counting a caller's requests. */
export function countedAs({ actorType, actorId }: Pick<Caller, "actorType" | "actorId">): string {
  return `${actorType} ${actorId}`;
}

/** The caller as the history records it. */
export function authorOf({ actorType, actorId, actorName, requestId, sessionId }: Caller): Author {
  return { actorType, actorId, actorName, requestId, sessionId };
}

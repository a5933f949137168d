import type { Author } from "@/lib/db/authority";
import { readOnly } from "@/lib/errors";

/** Who makes a request, and the one environment it is about. */
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
 * Refuses a caller that may only read.
 * @throws {AppError} `forbidden`
 */
export function requireWrite({ access }: Caller) {
  if (access === "write") return;
  throw readOnly();
}

/** Under which name a caller's requests are counted. */
export function countedAs({ actorType, actorId }: Pick<Caller, "actorType" | "actorId">): string {
  return `${actorType} ${actorId}`;
}

/** The caller as the history records it. */
export function authorOf({ actorType, actorId, actorName, requestId, sessionId }: Caller): Author {
  return { actorType, actorId, actorName, requestId, sessionId };
}

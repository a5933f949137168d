import { tokenIndexes } from "@/lib/crypto/group-token";
import type { GroupKey } from "@/lib/store/statements";

// How endpoints say which group a request is about.

export function byId(providedId: string): GroupKey[] {
  return [{ providedId }];
}

/** Under each key that may have sealed it. */
export function byToken(token: string): GroupKey[] {
  return tokenIndexes(token).map((tokenIndex) => ({ tokenIndex }));
}

import type { ApiToken } from "@/lib/api-tokens/schema";

const DAY_MS = 86_400_000;
/** Days without a call after which a token is marked. */
const LONG_UNUSED = 90;

/** For how many days nothing has used a valid token, if long enough to ask whether anything still needs it. */
export function daysUnused({ state, lastUsedAt, createdAt }: ApiToken): number | undefined {
  const days = Math.floor((Date.now() - Date.parse(lastUsedAt ?? createdAt)) / DAY_MS);
  return state === "valid" && days >= LONG_UNUSED ? days : undefined;
}

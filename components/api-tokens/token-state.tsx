"use client";

import { ExactTime } from "@/components/exact-time";
import { RelativeTime } from "@/components/relative-time";
import type { ApiToken } from "@/lib/api-tokens/schema";
import { cn } from "@/lib/browser/class-name";

const DAY_MS = 86_400_000;
/** Days before expiry with a warning. */
const SOON = 7;

/** Valid, expiring, expired or revoked, and when. */
export function TokenState({ token }: { token: ApiToken }) {
  const { state, expiresAt, revokedAt, replacedBy } = token;
  if (revokedAt) {
    return (
      <span className="text-text-muted">
        Revoked <RelativeTime at={revokedAt} />
      </span>
    );
  }
  if (!expiresAt) return "Valid";
  if (replacedBy !== null) {
    return state === "expired" ? (
      <span className="text-text-muted">
        Old value, ended <RelativeTime at={expiresAt} />
      </span>
    ) : (
      <>
        Old value, valid until <ExactTime at={expiresAt} />
      </>
    );
  }
  if (state === "expired") {
    return (
      <span className="text-danger">
        Expired <RelativeTime at={expiresAt} />
      </span>
    );
  }
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / DAY_MS);
  return (
    <span className={cn(days <= SOON && "text-warning")}>
      Expires {days > 1 ? <RelativeTime at={expiresAt}>in {days} days</RelativeTime> : <RelativeTime at={expiresAt} />}
    </span>
  );
}

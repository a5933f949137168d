"use client";

import { replacesItself } from "@/components/api-tokens/presets";
import { DayAndTime } from "@/components/relative-time";
import { Notice } from "@/components/ui/notice";
import type { ApiToken } from "@/lib/api-tokens/schema";

/** Tells which programs have replaced their API token, while the old value works. */
export function NewValues({ tokens }: { tokens: readonly ApiToken[] }) {
  const replaced = tokens.filter(
    ({ state, replacedBy, scopes }) => state === "valid" && replacedBy !== null && replacesItself(scopes),
  );
  return replaced.map(({ id, name, expiresAt }) => (
    <div key={id} className="pb-4">
      <Notice>
        <p>
          “{name}” has a new value. The old one works until {expiresAt && <DayAndTime at={expiresAt} />}. If its program
          did not ask for that, revoke it: both values stop.
        </p>
      </Notice>
    </div>
  ));
}

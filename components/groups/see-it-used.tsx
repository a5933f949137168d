"use client";

import { useQuery } from "@tanstack/react-query";
import { EmbedStep } from "@/components/groups/embed-step";
import { isTokenSeen } from "@/components/groups/group-use";
import { RelativeTime } from "@/components/relative-time";
import { UseMark } from "@/components/ui/use-mark";
import { useEnvironmentSlug } from "@/components/use-environment";
import { type Group, groupQuery } from "@/lib/groups/queries";

/** How often the first check is looked for, in milliseconds. */
const POLL_MS = 3_000;

/** Waits for the first check of the token, while the page is visible. */
export function SeeItUsed({ group }: { group: Group }) {
  const isSeen = isTokenSeen(group);
  const slug = useEnvironmentSlug();
  useQuery({ ...groupQuery(slug, String(group.teamId)), refetchInterval: isSeen ? false : POLL_MS });
  const { lastUsedAt, state } = group;
  return (
    <EmbedStep number={3} isDone={isSeen}>
      <h3 className="font-semibold">See it used</h3>
      <p role="status" className="flex items-baseline gap-2">
        <UseMark use={isSeen ? "in use" : "never"} />
        {isSeen && lastUsedAt ? (
          <span className="text-success">
            Your renderer checked the token <RelativeTime at={lastUsedAt} />
          </span>
        ) : (
          <span className="text-text-secondary">
            {state === "active"
              ? "Waiting for the first check by your renderer…"
              : "Its dashboards are not served now, so no check is awaited."}
          </span>
        )}
      </p>
      <p className="text-text-muted text-xs">
        A token of either kind is used when a dashboard’s renderer checks it with{" "}
        <code className="whitespace-nowrap font-mono">POST /api/viewer</code>. It shows here within seconds.
        Verifications offline are not seen.
      </p>
    </EmbedStep>
  );
}

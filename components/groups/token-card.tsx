"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Eye, EyeOff } from "lucide-react";
import { CopyButton } from "@/components/copy-button";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { MASKED_TOKEN, SHOWN_SECONDS, type ShownToken } from "@/components/groups/use-shown-token";
import { useCanWrite } from "@/components/members/use-member";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { type Group, tokenGiverQuery } from "@/lib/groups/queries";

/** The group's token: masked, revealed for a while, or copied unseen. */
export function TokenCard({ group, token }: { group: Group; token: ShownToken }) {
  const canWrite = useCanWrite();
  const show = useMutation({ mutationFn: token.show });
  const { data: giver } = useQuery(tokenGiverQuery(useEnvironmentSlug(), group));
  const { rotatedAt, createdAt, updatedAt, lastUsedAt } = group;
  const wasRotated = rotatedAt !== createdAt;
  return (
    <section
      aria-labelledby="token-title"
      className="flex flex-col gap-3 rounded-md border border-border bg-surface p-4"
    >
      <h2 id="token-title" className="font-semibold text-lg">
        User group token
      </h2>
      <div className="flex min-h-8 items-center gap-1 rounded-md border border-border bg-sunken py-1 pr-1 pl-2">
        {/* Room for two lines, so that revealing moves nothing. */}
        <code className="flex min-h-10 min-w-0 flex-1 items-center break-all font-mono text-xs">
          {token.value ?? MASKED_TOKEN}
        </code>
        {canWrite && (
          <>
            {token.value ? (
              <Button variant="ghost" size="row" aria-label="Hide token" title="Hide token" onClick={token.hide}>
                <EyeOff aria-hidden />
              </Button>
            ) : (
              <Button
                variant="ghost"
                size="row"
                aria-label="Reveal token"
                title="Reveal token"
                disabled={show.isPending}
                onClick={() => show.mutate()}
              >
                <Eye aria-hidden />
              </Button>
            )}
            <CopyButton what="token" text={token.fetch} />
          </>
        )}
      </div>
      <p role="status" className="text-text-muted text-xs">
        {token.value
          ? `Hidden again after ${SHOWN_SECONDS} seconds.`
          : canWrite
            ? "Revealing and copying are recorded in the history."
            : "Viewers cannot see tokens."}
      </p>
      {show.error && <Failure title="The token could not be shown" error={show.error} />}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 border-border border-t pt-3 text-text-muted">
        <dt>Last used</dt>
        <dd className="text-text">
          {lastUsedAt ? <RelativeTime at={lastUsedAt} /> : "Never used"}
          {lastUsedAt && lastUsedAt < rotatedAt && ", before it was rotated"}
        </dd>
        <dt>{wasRotated ? "Rotated" : "Issued"}</dt>
        <dd className="text-text">
          <RelativeTime at={rotatedAt} />
          {giver && ` by ${giver.name}`}
        </dd>
        <dt>Created</dt>
        <dd className="text-text">
          <RelativeTime at={createdAt} />
        </dd>
        <dt>Updated</dt>
        <dd className="text-text">
          <RelativeTime at={updatedAt} />
        </dd>
      </dl>
      <p className="text-text-muted text-xs">
        A token is used when a dashboard’s renderer checks it with{" "}
        <code className="whitespace-nowrap font-mono">POST /api/viewer</code>. Shown within seconds, to the minute.
      </p>
    </section>
  );
}

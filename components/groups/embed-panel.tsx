"use client";

import { Snippets } from "@/components/groups/snippets";
import { TokenCard } from "@/components/groups/token-card";
import type { ShownToken } from "@/components/groups/use-shown-token";
import { useCanWrite } from "@/components/members/use-member";
import type { Group } from "@/lib/groups/queries";

/** What is pasted where dashboards are embedded. */
export function EmbedPanel({ group, token }: { group: Group; token: ShownToken }) {
  const canWrite = useCanWrite();
  return (
    <div className="flex gap-8 max-xl:flex-col-reverse">
      <div className="min-w-0 max-w-3xl flex-1">
        {canWrite ? (
          <Snippets group={group} token={token.value ?? group.tokenMasked} copy={token.fetch} />
        ) : (
          <p className="text-text-muted">
            Embed configurations hold the token, which viewers do not see. Ask an owner for another role.
          </p>
        )}
      </div>
      <div className="w-full shrink-0 xl:w-90">
        <TokenCard group={group} token={token} />
      </div>
    </div>
  );
}

"use client";

import { useId } from "react";
import { useEnvironment } from "@/components/environments/use-environment";
import { Snippets } from "@/components/groups/snippets";
import { TokenCard } from "@/components/groups/token-card";
import { MASKED_TOKEN, type ShownToken } from "@/components/groups/use-shown-token";
import { useCanWrite } from "@/components/members/use-member";
import { CallSnippets } from "@/components/snippets/call-snippets";
import type { Group } from "@/lib/groups/queries";

/** Code to paste where dashboards are embedded. */
export function EmbedPanel({ group, token }: { group: Group; token: ShownToken }) {
  const id = useId();
  const canWrite = useCanWrite();
  const environment = useEnvironment();
  return (
    <div className="flex gap-8 max-xl:flex-col-reverse">
      <div className="flex min-w-0 max-w-3xl flex-1 flex-col gap-8">
        {canWrite ? (
          <Snippets group={group} token={token.value ?? MASKED_TOKEN} copy={token.fetch} />
        ) : (
          <p className="text-text-muted">
            Embed configurations contain the token, which viewers cannot see. Ask an owner for another role.
          </p>
        )}
        <section aria-labelledby={id} className="flex flex-col gap-2">
          <h2 id={id} className="font-medium">
            From your program
          </h2>
          {/* Without mapping and properties: parsing would change how their numbers are spelled. */}
          <CallSnippets group={{ user_group_id: group.providedId, name: group.name }} environment={environment?.name} />
        </section>
      </div>
      <div className="w-full shrink-0 xl:w-90">
        <TokenCard group={group} token={token} />
      </div>
    </div>
  );
}

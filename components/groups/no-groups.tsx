"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { CopyButton } from "@/components/copy-button";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { useCanWrite } from "@/components/members/use-member";
import { Button, buttonLook } from "@/components/ui/button";

/** The list before there is a first group: how to come by one. */
export function NoGroups() {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const curl = `curl -X GET ${window.location.origin}/api/user -H "Authorization: Token $API_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"user_group_id":"example_1","name":"Example 1","mapping":{"40":"213"},"properties":{"plan":"pro"}}'`;
  return (
    <Panel title="No user groups yet">
      <p className="text-text-muted">
        A user group is one of your customers: an id of your own, a name, the data sources it sees and the properties
        its dashboards use. Create the first one here, or let your program do it with this call:
      </p>
      <div className="relative rounded-md border border-border bg-background">
        <pre className="overflow-x-auto whitespace-pre-wrap break-all py-2.5 pr-10 pl-3 font-mono text-xs">{curl}</pre>
        <div className="absolute top-1.5 right-1.5">
          <CopyButton what="curl call" text={curl} />
        </div>
      </div>
      {canWrite && (
        <div className="flex flex-wrap gap-2">
          <Link href={`/${slug}/groups/new`} className={buttonLook({ variant: "primary" })}>
            Create the first group
          </Link>
          <Link href={`/${slug}/settings/api-tokens`} className={buttonLook()}>
            Make an API token
          </Link>
        </div>
      )}
    </Panel>
  );
}

/** The list when nothing fits the search and the filters. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Panel title="No user group matches">
      <p className="text-text-muted">Nothing in this environment fits the search and the filters.</p>
      <div>
        <Button onClick={onClear}>Clear filters</Button>
      </div>
    </Panel>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex max-w-2xl flex-col gap-4 rounded-md border border-border bg-surface p-6">
      <h2 className="font-semibold text-lg">{title}</h2>
      {children}
    </div>
  );
}

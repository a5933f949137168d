"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { EmptyPanel } from "@/components/empty-panel";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { useCanWrite } from "@/components/members/use-member";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { sessionQuery } from "@/lib/members/queries";

// Loaded for empty lists only, and shown only once it is interactive.
const CallSnippets = dynamic(async () => (await import("@/components/snippets/call-snippets")).CallSnippets, {
  ssr: false,
  loading: () => <Skeleton className="h-56" />,
});

const EXAMPLE = {
  user_group_id: "example_1",
  name: "Example 1",
  mapping: { 40: "213" },
  properties: { plan: "pro" },
};

/** Replaces an empty list, with ways to create the first group. */
export function NoGroups() {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { data } = useQuery(sessionQuery);
  const others = (data?.environments ?? []).filter((one) => one.slug !== slug).map(({ name }) => name);
  const environment = useEnvironment();
  return (
    <EmptyPanel title="No user groups yet">
      <p className="text-text-muted">
        A user group is one of your customers: your id for it, a name, the data sources it sees and the properties its
        dashboards use. Create the first one here, or from your program with this call:
      </p>
      {others.length > 0 && (
        <p className="text-text-muted">
          Each environment has its own user groups. Groups in {others.join(", ")} are not shown here.
        </p>
      )}
      <CallSnippets group={EXAMPLE} calls={["getOrCreate"]} environment={environment?.name} />
      {canWrite && (
        <div className="flex flex-wrap gap-2">
          <PageLink href={`/${slug}/groups/new`} className={buttonLook({ variant: "primary" })}>
            Create the first group
          </PageLink>
          <PageLink href={`/${slug}/groups/import`} className={buttonLook()}>
            Import a file
          </PageLink>
          <PageLink href={`/${slug}/settings/api-tokens`} className={buttonLook()}>
            Create an API token
          </PageLink>
        </div>
      )}
      <p className="text-text-muted">
        Deleted groups can be restored for some days:{" "}
        <PageLink
          href={`/${slug}/groups/deleted`}
          className="rounded-sm font-medium text-accent underline underline-offset-2"
        >
          Recently deleted
        </PageLink>
      </p>
    </EmptyPanel>
  );
}

/** Replaces a list without matches. */
export function NoMatch({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <EmptyPanel title="No user group matches">
      <p className="text-text-muted">Nothing in this environment matches the search and filters.</p>
      {/^[!-~]{1,2}$/.test(search) && (
        <p className="text-text-muted">A search this short matches only the beginning of names and ids.</p>
      )}
      <div>
        <Button onClick={onClear}>Clear filters</Button>
      </div>
    </EmptyPanel>
  );
}

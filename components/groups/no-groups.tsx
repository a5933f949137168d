"use client";

import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "@/components/code-block";
import { EmptyPanel } from "@/components/empty-panel";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { useCanWrite } from "@/components/members/use-member";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { useOrigin } from "@/components/use-in-browser";
import { sessionQuery } from "@/lib/members/queries";

/** The list before there is a first group: how to come by one. */
export function NoGroups() {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { data } = useQuery(sessionQuery);
  const others = (data?.environments ?? []).filter((one) => one.slug !== slug).map(({ name }) => name);
  const curl = `curl -X GET ${useOrigin()}/api/user -H "Authorization: Token $API_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"user_group_id":"example_1","name":"Example 1","mapping":{"40":"213"},"properties":{"plan":"pro"}}'`;
  return (
    <EmptyPanel title="No user groups yet">
      <p className="text-text-muted">
        A user group is one of your customers: an id of your own, a name, the data sources it sees and the properties
        its dashboards use. Create the first one here, or let your program do it with this call:
      </p>
      {others.length > 0 && (
        <p className="text-text-muted">
          Each environment has user groups of its own: those of {others.join(", ")} are not shown here.
        </p>
      )}
      <CodeBlock what="curl call" text={curl} />
      {canWrite && (
        <div className="flex flex-wrap gap-2">
          <PageLink href={`/${slug}/groups/new`} className={buttonLook({ variant: "primary" })}>
            Create the first group
          </PageLink>
          <PageLink href={`/${slug}/groups/import`} className={buttonLook()}>
            Import a file
          </PageLink>
          <PageLink href={`/${slug}/settings/api-tokens`} className={buttonLook()}>
            Make an API token
          </PageLink>
        </div>
      )}
    </EmptyPanel>
  );
}

/** The list when nothing fits the search and the filters. */
export function NoMatch({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <EmptyPanel title="No user group matches">
      <p className="text-text-muted">Nothing in this environment fits the search and the filters.</p>
      {/^[!-~]{1,2}$/.test(search) && (
        <p className="text-text-muted">A search this short looks at the beginning of names and ids alone.</p>
      )}
      <div>
        <Button onClick={onClear}>Clear filters</Button>
      </div>
    </EmptyPanel>
  );
}

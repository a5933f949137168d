"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EditDefinitions } from "@/components/definitions/edit-definitions";
import { Failure } from "@/components/failure";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { definitionsQuery } from "@/lib/definitions/queries";

const VIEWS: { value: "table" | "json"; label: string }[] = [
  { value: "table", label: "Table" },
  { value: "json", label: "JSON" },
];

/** What every group of an environment must have. */
export function DefinitionsPage() {
  const environment = useEnvironment();
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(definitionsQuery(slug));
  const [view, setView] = useState<"table" | "json">("table");
  return (
    <div className="flex min-h-[calc(100dvh-88px)] flex-col [&>:not(form)]:max-w-220 wide:min-h-[calc(100dvh-104px)]">
      <PageHeader
        title="Definitions"
        actions={data && <Segmented label="View of the definitions" value={view} options={VIEWS} onChange={setView} />}
      >
        What every user group of {environment?.name ?? "this environment"} must have.{" "}
        <PageLink href={`/${slug}/health`} className="underline underline-offset-2">
          Health
        </PageLink>{" "}
        lists what they lack.
      </PageHeader>
      {data ? (
        <EditDefinitions key={slug} stored={data} view={view} onView={setView} />
      ) : error ? (
        <Failure title="The definitions could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-96 rounded-xl" />
      )}
    </div>
  );
}

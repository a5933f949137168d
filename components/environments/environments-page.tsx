"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { EnvironmentCards } from "@/components/environments/environment-cards";
import { Failure } from "@/components/failure";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useHasRole } from "@/components/use-member";
import { environmentsQuery } from "@/lib/environments/queries";
import { sessionQuery } from "@/lib/members/queries";

const dialog = onDemand(() => import("@/components/environments/new-environment"));
const NewEnvironment = dialog.part("NewEnvironment");

export function EnvironmentsPage() {
  const { data, error, refetch } = useQuery(environmentsQuery(useEnvironmentSlug()));
  const isOwner = useHasRole("owner");
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const [adding, add, close] = useOpen<true>(dialog);
  return (
    <>
      <PageHeader
        title="Environments"
        note={data ? data.environments.length : <Skeleton className="inline-block h-3.5 w-4" />}
        actions={
          !isMemberKnown ? (
            <Skeleton className="h-control w-43" />
          ) : (
            isOwner && (
              <Button icon={Plus} variant="primary" onClick={() => add(true)}>
                Create environment
              </Button>
            )
          )
        }
      >
        Each has its own groups, tokens, rules and keys.
      </PageHeader>
      {error && !data ? (
        <Failure title="The environments could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <EnvironmentCards environments={data?.environments} />
      )}
      {adding && <NewEnvironment onClose={close} />}
    </>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { EnvironmentTable } from "@/components/environments/environment-table";
import { NewEnvironment } from "@/components/environments/new-environment";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { useHasRole } from "@/components/members/use-member";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { environmentsQuery } from "@/lib/environments/queries";

/** The environments there are, and what they hold. */
export function EnvironmentsPage() {
  const { data, error, refetch } = useQuery(environmentsQuery(useEnvironmentSlug()));
  const isOwner = useHasRole("owner");
  const [adding, setAdding] = useState(false);
  return (
    <>
      <PageHeader
        title="Environments"
        note={data?.environments.length}
        actions={
          isOwner && (
            <Button variant="primary" onClick={() => setAdding(true)}>
              <Plus aria-hidden />
              Add environment
            </Button>
          )
        }
      />
      {error && !data ? (
        <Failure title="The environments could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <EnvironmentTable environments={data?.environments} />
      )}
      {adding && <NewEnvironment onClose={() => setAdding(false)} />}
    </>
  );
}

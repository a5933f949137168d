"use client";

import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { ApiTokenTable } from "@/components/api-tokens/api-token-table";
import { NewValues } from "@/components/api-tokens/new-values";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { apiTokensQuery } from "@/lib/api-tokens/queries";
import { sessionQuery } from "@/lib/members/queries";

const dialog = onDemand(() => import("@/components/api-tokens/new-api-token"));
const NewApiToken = dialog.part("NewApiToken");

export function ApiTokensPage() {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const { data, error, refetch } = useQuery(apiTokensQuery(slug));
  const canWrite = useCanWrite();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const [making, setMaking] = useState(false);
  const create = async () => setMaking(await dialog.loadOrTell());
  const valid = data?.filter(({ state }) => state === "valid").length;
  return (
    <>
      <PageHeader
        title="API tokens"
        note={data ? data.length > 0 && `${valid} valid` : <Skeleton className="inline-block h-3.5 w-10" />}
        actions={
          !isMemberKnown ? (
            <Skeleton className="h-control w-39" />
          ) : (
            canWrite && (
              <Button variant="primary" onClick={create}>
                <Plus aria-hidden />
                Create API token
              </Button>
            )
          )
        }
      >
        How your programs sign in. Each one belongs to {environment?.name ?? "this environment"} and can do only what
        you choose.
      </PageHeader>
      {error && !data ? (
        <Failure title="The API tokens could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : data?.length === 0 ? (
        <EmptyPanel icon={KeyRound} title="No API tokens yet">
          <p>
            Programs that create and read the user groups of {environment?.name ?? "this environment"} send an API token
            with every call. {canWrite ? "Create one for each program." : "An owner or admin creates them."}
          </p>
        </EmptyPanel>
      ) : (
        <>
          {data && <NewValues tokens={data} />}
          <ApiTokenTable tokens={data} />
        </>
      )}
      {making && <NewApiToken onClose={() => setMaking(false)} />}
    </>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { ApiTokenTable } from "@/components/api-tokens/api-token-table";
import { replacesItself } from "@/components/api-tokens/presets";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { PageHeader } from "@/components/page-header";
import { DayAndTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { useEnvironmentName, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { apiTokensQuery } from "@/lib/api-tokens/queries";
import type { ApiToken } from "@/lib/api-tokens/schema";

const dialog = onDemand(() => import("@/components/api-tokens/new-api-token"));
const NewApiToken = dialog.part("NewApiToken");

export function ApiTokensPage() {
  const slug = useEnvironmentSlug();
  const environment = useEnvironmentName();
  const { data, error, refetch } = useQuery(apiTokensQuery(slug));
  const canWrite = useCanWrite();
  const [making, create, close] = useOpen<true>(dialog);
  const valid = data?.filter(({ state }) => state === "valid").length;
  return (
    <>
      <PageHeader
        title="API tokens"
        note={valid !== undefined && valid > 0 && `${valid} valid`}
        actions={
          canWrite && (
            <Button icon={Plus} variant="primary" onClick={() => create(true)}>
              Create API token
            </Button>
          )
        }
      >
        How your programs sign in. Each one belongs to {environment} and can do only what you choose.
      </PageHeader>
      {error && !data ? (
        <Failure title="The API tokens could not be loaded" error={error} onRetry={refetch} />
      ) : data?.length === 0 ? (
        <EmptyPanel icon={KeyRound} title="No API tokens yet">
          <p>
            Programs that create and read the user groups of {environment} send an API token with every call.{" "}
            {canWrite ? "Create one for each program." : "An owner or admin creates them."}
          </p>
        </EmptyPanel>
      ) : (
        <>
          {data && <NewValues tokens={data} />}
          <ApiTokenTable tokens={data} />
        </>
      )}
      {making && <NewApiToken onClose={close} />}
    </>
  );
}

/** Names the programs that have replaced their API token, while the old value works. */
function NewValues({ tokens }: { tokens: readonly ApiToken[] }) {
  const replaced = tokens.filter(
    ({ state, replacedBy, scopes }) => state === "valid" && replacedBy !== null && replacesItself(scopes),
  );
  return replaced.map(({ id, name, expiresAt }) => (
    <div key={id} className="pb-4">
      <Notice>
        <p>
          “{name}” has a new value. The old one works until {expiresAt && <DayAndTime at={expiresAt} />}. If its program
          did not request this, revoke it: both values stop working.
        </p>
      </Notice>
    </div>
  ));
}

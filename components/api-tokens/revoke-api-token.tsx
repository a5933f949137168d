"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { chosenWebhooks, MadeWebhooks } from "@/components/api-tokens/made-webhooks";
import { replacesItself } from "@/components/api-tokens/presets";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { Skeleton } from "@/components/ui/skeleton";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug, useIsCustomer } from "@/components/use-environment";
import { apiTokensKey, apiTokensQuery, askToRevokeApiToken, madeByApiTokenQuery } from "@/lib/api-tokens/queries";
import type { ApiToken } from "@/lib/api-tokens/schema";

interface RevokeApiTokenProps {
  token: ApiToken;
  onClose: () => void;
}

/** Confirms a revocation; in Customer environments, by typing the name. */
export function RevokeApiToken({ token: { id, name, scopes, replacedBy }, onClose }: RevokeApiTokenProps) {
  const isOldAlone = replacedBy !== null && !replacesItself(scopes);
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const made = useQuery(madeByApiTokenQuery(slug, id));
  const revocation = useAction({
    act: (fields: FormData) => askToRevokeApiToken(slug, id, chosenWebhooks(fields)),
    wasDone: async () => {
      const now = await client.fetchQuery({ ...apiTokensQuery(slug), staleTime: 0 });
      return now.find((one) => one.id === id)?.state !== "valid";
    },
    undone: `“${name}” still works. Try again.`,
    failed: "Nothing was revoked",
    done: () => ({ title: `“${name}” was revoked` }),
    onDone: onClose,
    reads: [apiTokensKey(slug)],
  });
  const isCustomer = useIsCustomer();
  return (
    <ConfirmDialog
      action={revocation}
      environment="current"
      {...(isOldAlone
        ? {
            title: `End the old value of “${name}”?`,
            description: "Calls with the old value are refused from now on. The new one keeps working.",
            verb: "End old value",
            doing: "Ending…",
          }
        : {
            title: `Revoke “${name}”?`,
            description:
              `All calls with it${replacesItself(scopes) ? ", its old value and its new one" : ""} will be refused. ` +
              "This cannot be undone: a program that still needs access needs a new API token.",
            verb: "Revoke API token",
            doing: "Revoking…",
          })}
      danger
      retype={isCustomer && name}
      onClose={onClose}
    >
      {made.isPending && <Skeleton className="h-10 w-full" />}
      {made.error && <Failure title="Could not load what this API token created" error={made.error} />}
      {made.data && !isOldAlone && <MadeWebhooks webhooks={made.data} />}
    </ConfirmDialog>
  );
}

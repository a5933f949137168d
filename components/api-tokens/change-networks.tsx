"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { ActionButtons } from "@/components/action-buttons";
import { NetworksField } from "@/components/api-tokens/networks-field";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { placeIssues } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { apiTokensKey, apiTokensQuery, askToChangeNetworks } from "@/lib/api-tokens/queries";
import { type ApiToken, type NetworksFields, networksForm } from "@/lib/api-tokens/schema";

interface ChangeNetworksProps {
  token: ApiToken;
  onClose: () => void;
}

/** Changes where calls with an API token may come from. Stays open to warn a member outside of it. */
export function ChangeNetworks({ token: { id, name, allowedNetworks }, onClose }: ChangeNetworksProps) {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const form = useForm({
    resolver: zodResolver(networksForm),
    defaultValues: { allowedNetworks: allowedNetworks.join("\n") },
  });
  const { errors, isDirty } = form.formState;
  const change = useAction({
    act: (fields: NetworksFields) => askToChangeNetworks(slug, id, fields.allowedNetworks),
    wasDone: async (fields) => {
      const now = await client.fetchQuery({ ...apiTokensQuery(slug), staleTime: 0 });
      return now.some((one) => one.id === id && one.allowedNetworks.join() === fields.allowedNetworks.join());
    },
    undone: "The networks are as they were. Try again.",
    failed: "The networks were not changed",
    done: () => ({ title: `The networks of “${name}” were changed` }),
    onDone: (answer) => {
      if (!answer?.warnings.length) onClose();
    },
    reads: [apiTokensKey(slug)],
  });
  const submit = form.handleSubmit((fields) =>
    change.run(fields, (error) => placeIssues(error, form, ["allowedNetworks"])),
  );
  const warnings = change.answer?.warnings ?? [];
  return (
    <ActionDialog
      action={change}
      environment="current"
      onClose={onClose}
      title={`Networks of “${name}”`}
      description="Applies from the next call on."
    >
      {warnings.length > 0 ? (
        <>
          <Notice tone="warning" role="alert" title="The networks were changed">
            {warnings.map((warning) => (
              <p key={warning}>{warning}</p>
            ))}
          </Notice>
          <div className="flex justify-end">
            <Button autoFocus onClick={onClose}>
              Close
            </Button>
          </div>
        </>
      ) : (
        <form noValidate onSubmit={submit} className="flex flex-col gap-4">
          <NetworksField error={errors.allowedNetworks?.message} {...form.register("allowedNetworks")} />
          {change.error && !errors.allowedNetworks && <Failure title={change.failed} error={change.error} />}
          <ActionButtons action={change} verb="Save" doing="Saving…" disabled={!isDirty} onClose={onClose} />
        </form>
      )}
    </ActionDialog>
  );
}

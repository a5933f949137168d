import { zodResolver } from "@hookform/resolvers/zod";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ActionButtons } from "@/components/action-buttons";
import { chosenWebhooks, MadeWebhooks } from "@/components/api-tokens/made-webhooks";
import { NetworksField } from "@/components/api-tokens/networks-field";
import { replacesItself } from "@/components/api-tokens/presets";
import { ShownApiToken } from "@/components/api-tokens/shown-api-token";
import { ActionDialog, ConfirmAction, ConfirmDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { placeIssues } from "@/components/form-issues";
import { formatTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { SelectField } from "@/components/ui/select";
import { Skeleton } from "@/components/ui/skeleton";
import { requireUnchanged } from "@/components/unchanged";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug, useIsCustomer } from "@/components/use-environment";
import {
  apiTokensKey,
  apiTokensQuery,
  askToChangeNetworks,
  askToReplaceApiToken,
  askToRevokeApiToken,
  madeByApiTokenQuery,
} from "@/lib/api-tokens/queries";
import { type ApiToken, type NetworksFields, networksForm, OVERLAPS, type Overlap } from "@/lib/api-tokens/schema";

interface DialogProps {
  token: ApiToken;
  onClose: () => void;
}

/** Changes the networks an API token can be used from. Stays open to warn members outside those networks. */
export function ChangeNetworks({ token: { id, name, allowedNetworks }, onClose }: DialogProps) {
  const slug = useEnvironmentSlug();
  const [opened] = useState(allowedNetworks);
  const form = useForm({ resolver: zodResolver(networksForm), defaultValues: { allowedNetworks: opened.join("\n") } });
  const { errors, isDirty } = form.formState;
  const change = useAction({
    act: async (fields: NetworksFields, read) => {
      requireUnchanged((await read(apiTokensQuery(slug))).find((one) => one.id === id)?.allowedNetworks, opened);
      return askToChangeNetworks(slug, id, fields.allowedNetworks);
    },
    wasDone: async (fields, read) => {
      const now = await read(apiTokensQuery(slug));
      return now.some((one) => one.id === id && one.allowedNetworks.join() === fields.allowedNetworks.join());
    },
    failed: "The networks were not changed",
    done: () => ({ title: `The networks of “${name}” were changed` }),
    onClose: (answer) => !answer?.warnings.length && onClose(),
    reads: [apiTokensKey(slug)],
  });
  const submit = form.handleSubmit((fields) =>
    change.run(fields, (error) => placeIssues(error, form, ["allowedNetworks"])),
  );
  const warnings = change.answer?.warnings ?? [];
  return (
    <ActionDialog
      action={change}
      onClose={onClose}
      title={`Networks of “${name}”`}
      description="Applies from the next call."
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
          <ActionButtons action={change} verb="Save" disabled={!isDirty} onClose={onClose} />
        </form>
      )}
    </ActionDialog>
  );
}

const LABELS: Record<Overlap, string> = {
  0: "Stops now",
  3600: "Works for 1 hour",
  86400: "Works for 24 hours",
  604800: "Works for 7 days",
};
const OPTIONS = OVERLAPS.map((overlap) => ({ value: String(overlap), label: LABELS[overlap] }));
const USUAL = "86400";

/**
 * Replaces an API token and shows the new value once. In Customer environments, ending the old value now requires
 * typing the name.
 */
export function ReplaceApiToken({ token: { id, name }, onClose }: DialogProps) {
  const slug = useEnvironmentSlug();
  const isCustomer = useIsCustomer();
  const [overlap, setOverlap] = useState(USUAL);
  const replacement = useAction({
    act: () => askToReplaceApiToken(slug, id, Number(overlap)),
    undone: "No new value was received. If the list shows one, replace that one.",
    failed: "The API token was not replaced",
    secret: { made: `“${name}” was replaced`, again: "replace it once more" },
    reads: [apiTokensKey(slug)],
  });
  const replaced = replacement.answer;
  if (replaced) {
    const end = overlap === "0" ? "no longer works" : `works until ${formatTime(replaced.previousValidUntil)}`;
    return <ShownApiToken created={replaced} note={`The old value ${end}.`} onClose={onClose} />;
  }
  return (
    <ConfirmDialog
      action={replacement}
      title={`Replace “${name}”?`}
      description="You get a new value with the same scopes, networks and expiry. Until the old one ends, both work."
      verb="Replace API token"
      danger={overlap === "0"}
      retype={isCustomer && overlap === "0" && name}
      onClose={onClose}
    >
      <SelectField
        label="The old value"
        hint={overlap === "0" && "Calls with it are refused from now on."}
        value={overlap}
        onChange={setOverlap}
        options={OPTIONS}
      />
    </ConfirmDialog>
  );
}

/** Confirms a revocation; in Customer environments, by typing the name. */
export function RevokeApiToken({ token: { id, name, scopes, replacedBy }, onClose }: DialogProps) {
  const isOldAlone = replacedBy !== null && !replacesItself(scopes);
  const slug = useEnvironmentSlug();
  const made = useQuery(madeByApiTokenQuery(slug, id));
  const isCustomer = useIsCustomer();
  return (
    <ConfirmAction
      act={(fields) => askToRevokeApiToken(slug, id, chosenWebhooks(fields))}
      wasDone={async (_, read) => {
        const now = await read(apiTokensQuery(slug));
        return now.find((one) => one.id === id)?.state !== "valid";
      }}
      failed="Nothing was revoked"
      done={() => ({ title: `“${name}” was revoked` })}
      reads={[apiTokensKey(slug)]}
      {...(isOldAlone
        ? {
            title: `End the old value of “${name}”?`,
            description: "Calls with the old value are refused from now on. The new one keeps working.",
            verb: "End old value",
          }
        : {
            title: `Revoke “${name}”?`,
            description:
              `All calls with it${replacesItself(scopes) ? " or any of its other values" : ""} will be refused. ` +
              "This cannot be undone: a program that still needs access needs a new API token.",
            verb: "Revoke API token",
          })}
      danger
      retype={isCustomer && name}
      onClose={onClose}
    >
      {made.isPending && <Skeleton className="h-10 w-full" />}
      {made.error && <Failure title="Could not load what this API token created" error={made.error} />}
      {made.data && !isOldAlone && <MadeWebhooks webhooks={made.data} />}
    </ConfirmAction>
  );
}

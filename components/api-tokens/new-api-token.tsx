"use client";

import { ApiTokenForm } from "@/components/api-tokens/api-token-form";
import { ShownApiToken } from "@/components/api-tokens/shown-api-token";
import { ActionDialog } from "@/components/confirm-dialog";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { apiTokensKey, askToCreateApiToken } from "@/lib/api-tokens/queries";
import type { ApiTokenFields as Fields } from "@/lib/api-tokens/schema";
import { PRESETS } from "@/lib/authority/scopes";

/** Creates an API token and shows it once. */
export function NewApiToken({ onClose }: { onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const creation = useAction({
    act: ({ preset, scopes, allowedNetworks, ...fields }: Fields) =>
      askToCreateApiToken(slug, {
        ...fields,
        scopes: preset === "some" ? scopes : PRESETS[preset],
        ...(allowedNetworks.length > 0 && { allowedNetworks }),
      }),
    undone: "No API token was received. If the list shows a new one, revoke it and create another.",
    failed: "No API token was created",
    unseen: {
      title: "An API token was created",
      description: "It arrived after the dialog closed and cannot be shown again: revoke it and create another.",
    },
    reads: [apiTokensKey(slug)],
    isSecret: true,
  });
  const created = creation.answer;
  if (created) return <ShownApiToken created={created} onClose={onClose} />;
  return (
    <ActionDialog
      action={creation}
      environment="current"
      onClose={onClose}
      title="Create API token"
      description="Your program sends it with every call. It is shown once, after creation."
    >
      <ApiTokenForm action={creation} onClose={onClose} />
    </ActionDialog>
  );
}

"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiTokenForm } from "@/components/api-tokens/api-token-form";
import { ShownApiToken } from "@/components/api-tokens/shown-api-token";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Dialog } from "@/components/ui/dialog";
import { apiTokensKey, createApiToken } from "@/lib/api-tokens/queries";
import type { NewApiToken as Fields } from "@/lib/api-tokens/schema";

/** Asks what an API token is for, makes it, and shows it: this once. */
export function NewApiToken({ onClose }: { onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const creation = useMutation({
    // Nothing keeps the token once this dialog is gone.
    gcTime: 0,
    mutationFn: (fields: Fields) => createApiToken(slug, fields),
  });
  const { data: created, error, isPending } = creation;
  const close = () => {
    // The answer to what is under way holds the token: it must find the dialog open.
    if (isPending) return;
    onClose();
    if (created) void client.invalidateQueries({ queryKey: apiTokensKey(slug) });
  };
  return (
    <Dialog
      open
      wide={created !== undefined}
      sticky={created !== undefined}
      onOpenChange={(open) => !open && close()}
      title={created ? "The API token is ready" : "New API token"}
      description={
        created
          ? `“${created.apiToken.name}” works from now on.`
          : "Your program sends it with every call. It is shown once, when it is made."
      }
    >
      {created ? (
        <ShownApiToken created={created} onDone={close} />
      ) : (
        <ApiTokenForm
          error={error}
          isPending={isPending}
          onSubmit={(fields, onError) => creation.mutate(fields, { onError })}
          onCancel={close}
        />
      )}
    </Dialog>
  );
}

"use client";

import { useState } from "react";
import { ShownApiToken } from "@/components/api-tokens/shown-api-token";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug, useIsCustomer } from "@/components/use-environment";
import { apiTokensKey, askToReplaceApiToken } from "@/lib/api-tokens/queries";
import { type ApiToken, OVERLAPS, type Overlap } from "@/lib/api-tokens/schema";

const LABELS: Record<Overlap, string> = {
  0: "Not any longer",
  3600: "For 1 hour",
  86400: "For 24 hours",
  604800: "For 7 days",
};
const OPTIONS = OVERLAPS.map((overlap) => ({ value: String(overlap), label: LABELS[overlap] }));
const USUAL = "86400";

interface ReplaceApiTokenProps {
  token: ApiToken;
  onClose: () => void;
}

/**
 * Replaces an API token and shows the new value once. In Customer environments ending the old one now needs its name.
 */
export function ReplaceApiToken({ token: { id, name }, onClose }: ReplaceApiTokenProps) {
  const slug = useEnvironmentSlug();
  const isCustomer = useIsCustomer();
  const [overlap, setOverlap] = useState(USUAL);
  const replacement = useAction({
    act: () => askToReplaceApiToken(slug, id, Number(overlap)),
    undone: "No new value was received. If the list shows one, replace that one.",
    failed: "The API token was not replaced",
    unseen: {
      title: `“${name}” was replaced`,
      description: "The new value arrived after the dialog closed and cannot be shown again: replace it once more.",
    },
    reads: [apiTokensKey(slug)],
    isSecret: true,
  });
  const replaced = replacement.answer;
  if (replaced) return <ShownApiToken created={replaced} validUntil={replaced.previousValidUntil} onClose={onClose} />;
  return (
    <ConfirmDialog
      action={replacement}
      environment="current"
      title={`Replace “${name}”?`}
      description="You get a new value with the same scopes, networks and expiry. Until the old one ends, both work."
      verb="Replace API token"
      doing="Replacing…"
      danger={overlap === "0"}
      retype={isCustomer && overlap === "0" && name}
      onClose={onClose}
    >
      <Field label="The old value works" hint={overlap === "0" ? "Calls with it are refused from now on." : undefined}>
        {(control) => <Select {...control} value={overlap} onChange={setOverlap} options={OPTIONS} />}
      </Field>
    </ConfirmDialog>
  );
}

"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ConfirmText } from "@/components/confirm-text";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { toast } from "@/components/ui/toast";
import { apiTokensKey, revokeApiToken } from "@/lib/api-tokens/queries";
import type { ApiToken } from "@/lib/api-tokens/schema";

interface RevokeApiTokenProps {
  token: ApiToken;
  onClose: () => void;
}

/** Asks before an API token is revoked; where customers depend on it, by its name. */
export function RevokeApiToken({ token: { id, name }, onClose }: RevokeApiTokenProps) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const readAgain = () => client.invalidateQueries({ queryKey: apiTokensKey(slug) });
  const revocation = useMutation({
    mutationFn: () => revokeApiToken(slug, id),
    onSuccess: () => {
      toast({ title: `“${name}” was revoked` });
      onClose();
      return readAgain();
    },
    // Somebody else may have revoked it meanwhile.
    onError: readAgain,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    revocation.mutate();
  };
  const isCustomer = environment?.tag !== "Testing";
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke “${name}”?`}
      description="Every call made with it is refused from then on. This cannot be undone: a program that still needs access takes a new API token."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {environment && <EnvironmentMark environment={environment} />}
        {isCustomer && <ConfirmText expected={name} value={typed} onChange={setTyped} />}
        {revocation.error && <Failure title="Nothing was revoked" error={revocation.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" disabled={(isCustomer && typed !== name) || revocation.isPending}>
            Revoke API token
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

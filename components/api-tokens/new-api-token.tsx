"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller, useForm } from "react-hook-form";
import { ACCESS } from "@/components/api-tokens/access";
import { ExpiryField } from "@/components/api-tokens/expiry-field";
import { ShownApiToken } from "@/components/api-tokens/shown-api-token";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { apiTokensKey, createApiToken } from "@/lib/api-tokens/queries";
import { type NewApiToken as Fields, newApiToken } from "@/lib/api-tokens/schema";

const OPTIONS = (["write", "read"] as const).map((value) => ({ value, ...ACCESS[value] }));
const NAMES = ["name", "access", "expiresAt"] as const;

/** Asks what an API token is for, makes it, and shows it: this once. */
export function NewApiToken({ onClose }: { onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const client = useQueryClient();
  const form = useForm({
    resolver: zodResolver(newApiToken),
    defaultValues: { name: "", access: "write", expiresAt: null },
  });
  const { errors } = form.formState;
  const creation = useMutation({
    // Nothing keeps the token once this dialog is gone.
    gcTime: 0,
    mutationFn: (fields: Fields) => createApiToken(slug, fields),
    onError: (error) => placeIssues(error, form, NAMES),
  });
  if (creation.data) {
    const close = () => {
      onClose();
      void client.invalidateQueries({ queryKey: apiTokensKey(slug) });
    };
    return <ShownApiToken created={creation.data} onClose={close} />;
  }
  const isPlaced = NAMES.some((name) => errors[name]);
  return (
    <Dialog
      open
      // The answer to what is under way holds the token: it must find the dialog open.
      onOpenChange={(open) => !open && !creation.isPending && onClose()}
      title="New API token"
      description="Your program sends it with every call. It is shown once, when it is made."
    >
      <form
        noValidate
        onSubmit={form.handleSubmit((fields) => creation.mutate(fields))}
        className="flex flex-col gap-4"
      >
        {environment && <EnvironmentMark environment={environment} />}
        <Field label="Name" hint="Which program uses it, and where." error={sentence(errors.name?.message)}>
          {(control) => <Input {...form.register("name")} {...control} autoComplete="off" autoFocus />}
        </Field>
        <ChoiceCards label="Access" options={OPTIONS} {...form.register("access")} />
        <Controller
          name="expiresAt"
          control={form.control}
          render={({ field: { value: _, ...field } }) => (
            <ExpiryField {...field} error={sentence(errors.expiresAt?.message)} />
          )}
        />
        {creation.error && !isPlaced && <Failure title="No API token was made" error={creation.error} />}
        <DialogActions>
          <Button onClick={onClose} disabled={creation.isPending}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" disabled={creation.isPending}>
            Make API token
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

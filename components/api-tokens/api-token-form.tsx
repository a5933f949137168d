"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { Controller, useForm } from "react-hook-form";
import { ACCESS } from "@/components/api-tokens/access";
import { ExpiryField } from "@/components/api-tokens/expiry-field";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useEnvironment } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { type NewApiToken as Fields, newApiToken } from "@/lib/api-tokens/schema";

const OPTIONS = (["write", "read"] as const).map((value) => ({ value, ...ACCESS[value] }));
const NAMES = ["name", "access", "expiresAt"] as const;

interface ApiTokenFormProps {
  error: Error | null;
  isPending: boolean;
  onSubmit: (fields: Fields, onError: (error: Error) => void) => void;
  onCancel: () => void;
}

/** What a new API token is for, what it may do, and until when. */
export function ApiTokenForm({ error, isPending, onSubmit, onCancel }: ApiTokenFormProps) {
  const environment = useEnvironment();
  const form = useForm({
    resolver: zodResolver(newApiToken),
    defaultValues: { name: "", access: "write", expiresAt: null },
  });
  const { errors } = form.formState;
  const isPlaced = NAMES.some((name) => errors[name]);
  const submit = form.handleSubmit((fields) => onSubmit(fields, (error) => placeIssues(error, form, NAMES)));
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {environment && <EnvironmentMark environment={environment} />}
      <Field label="Name" hint="Which program uses it, and where." error={sentence(errors.name?.message)}>
        {(control) => <Input {...form.register("name")} {...control} autoComplete="off" />}
      </Field>
      <ChoiceCards label="Access" options={OPTIONS} {...form.register("access")} />
      <Controller
        name="expiresAt"
        control={form.control}
        render={({ field: { value: _, ...field } }) => (
          <ExpiryField {...field} error={sentence(errors.expiresAt?.message)} />
        )}
      />
      {error && !isPlaced && <Failure title="No API token was made" error={error} />}
      <DialogActions>
        <Button onClick={onCancel} disabled={isPending}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabled={isPending}>
          Make API token
        </Button>
      </DialogActions>
    </form>
  );
}

"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { Controller, useForm } from "react-hook-form";
import { ActionButtons } from "@/components/action-buttons";
import { ExpiryField } from "@/components/api-tokens/expiry-field";
import { NetworksField } from "@/components/api-tokens/networks-field";
import { ScopeChoice } from "@/components/api-tokens/scope-choice";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import type { Action } from "@/components/use-action";
import { apiTokenForm, type ApiTokenFields as Fields } from "@/lib/api-tokens/schema";
import { PRESET_WORDS } from "@/lib/authority/scope-words";

const OPTIONS = [
  ...Object.entries(PRESET_WORDS).map(([value, words]) => ({ value, ...words })),
  { value: "some", label: "Custom", hint: "Choose scopes." },
];
const NAMES = ["name", "preset", "scopes", "allowedNetworks", "expiresAt"] as const;

interface ApiTokenFormProps {
  action: Action<Fields>;
  onClose: () => void;
}

export function ApiTokenForm({ action, onClose }: ApiTokenFormProps) {
  const form = useForm({
    resolver: zodResolver(apiTokenForm),
    defaultValues: { name: "", preset: "backend", scopes: [], allowedNetworks: "", expiresAt: null },
  });
  const { errors } = form.formState;
  const isPlaced = NAMES.some((name) => errors[name]);
  const submit = form.handleSubmit((fields) => action.run(fields, (error) => placeIssues(error, form, NAMES)));
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Name" hint="Which program uses it, and where." error={sentence(errors.name?.message)}>
        {(control) => <Input {...form.register("name")} {...control} autoComplete="off" />}
      </Field>
      <ChoiceCards label="For" options={OPTIONS} {...form.register("preset")} />
      {form.watch("preset") === "some" && (
        <ScopeChoice error={sentence(errors.scopes?.message)} {...form.register("scopes")} />
      )}
      <NetworksField error={errors.allowedNetworks?.message} {...form.register("allowedNetworks")} />
      <Controller
        name="expiresAt"
        control={form.control}
        render={({ field: { value: _, ...field } }) => (
          <ExpiryField {...field} error={sentence(errors.expiresAt?.message)} />
        )}
      />
      {action.error && !isPlaced && <Failure title={action.failed} error={action.error} />}
      <ActionButtons action={action} verb="Create API token" doing="Creating…" onClose={onClose} />
    </form>
  );
}

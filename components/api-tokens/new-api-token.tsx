import { zodResolver } from "@hookform/resolvers/zod";
import { type ComponentProps, type Ref, useId, useState } from "react";
import { Controller, useForm } from "react-hook-form";
import { ActionButtons } from "@/components/action-buttons";
import { NetworksField } from "@/components/api-tokens/networks-field";
import { ShownApiToken } from "@/components/api-tokens/shown-api-token";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { formatTime } from "@/components/relative-time";
import { BOX } from "@/components/ui/checkbox";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { FieldError } from "@/components/ui/field";
import { SelectField } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { TimeField } from "@/components/ui/time-field";
import { type Action, useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { apiTokensKey, askToCreateApiToken } from "@/lib/api-tokens/queries";
import { apiTokenForm, type ApiTokenFields as Fields } from "@/lib/api-tokens/schema";
import { PRESET_WORDS, SCOPE_WORDS } from "@/lib/authority/scope-words";
import { PRESETS, SCOPES } from "@/lib/authority/scopes";
import { cn } from "@/lib/browser/class-name";

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
    secret: { made: "An API token was created", again: "revoke it and create another" },
    reads: [apiTokensKey(slug)],
  });
  const created = creation.answer;
  if (created) return <ShownApiToken created={created} onClose={onClose} />;
  return (
    <ActionDialog
      action={creation}
      onClose={onClose}
      title="Create API token"
      description="Your program sends it with every call. It is shown once, after creation."
    >
      <ApiTokenForm action={creation} onClose={onClose} />
    </ActionDialog>
  );
}

const OPTIONS = [
  ...Object.entries(PRESET_WORDS).map(([value, words]) => ({ value, ...words })),
  { value: "some", label: "Custom", hint: "Choose scopes." },
];
const NAMES = ["name", "preset", "scopes", "allowedNetworks", "expiresAt"] as const;

function ApiTokenForm({ action, onClose }: { action: Action<Fields>; onClose: () => void }) {
  const form = useForm({
    resolver: zodResolver(apiTokenForm),
    defaultValues: { name: "", preset: "backend", scopes: [], allowedNetworks: "", expiresAt: null },
  });
  const { errors } = form.formState;
  const isPlaced = NAMES.some((name) => errors[name]);
  const submit = form.handleSubmit((fields) => action.run(fields, (error) => placeIssues(error, form, NAMES)));
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Name"
        hint="Which program uses it, and where."
        error={sentence(errors.name?.message)}
        {...form.register("name")}
        autoComplete="off"
      />
      <ChoiceCards label="For" options={OPTIONS} {...form.register("preset")} />
      {form.watch("preset") === "some" && (
        <ScopeChoice error={sentence(errors.scopes?.message)} {...form.register("scopes")} />
      )}
      <NetworksField error={errors.allowedNetworks?.message} {...form.register("allowedNetworks")} />
      <Controller
        name="expiresAt"
        control={form.control}
        render={({ field }) => <ExpiryField {...field} error={sentence(errors.expiresAt?.message)} />}
      />
      {action.error && !isPlaced && <Failure title={action.failed} error={action.error} />}
      <ActionButtons action={action} verb="Create API token" onClose={onClose} />
    </form>
  );
}

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: "never", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a date…" },
];

interface ExpiryFieldProps {
  ref: Ref<HTMLButtonElement>;
  /** an ISO date and time; null for never, blank until a date is chosen */
  value: string | null;
  onChange: (expiresAt: string | null) => void;
  error: string | undefined;
}

function ExpiryField({ ref, value: expiresAt, onChange, error }: ExpiryFieldProps) {
  const [choice, setChoice] = useState("never");
  const choose = (next: string) => {
    setChoice(next);
    if (next === "never") onChange(null);
    else if (next === "date") onChange("");
    else onChange(new Date(Date.now() + Number(next) * DAY_MS).toISOString());
  };
  return (
    <>
      <SelectField
        ref={ref}
        label="Expires"
        hint={expiresAt && `Works until ${formatTime(expiresAt)}.`}
        error={choice === "date" ? undefined : error}
        value={choice}
        onChange={choose}
        options={EXPIRIES}
      />
      {choice === "date" && (
        <TimeField
          label="Last day"
          kind="day"
          error={error && (expiresAt ? "Must be in the future." : "Choose a day.")}
          onChange={(at) => onChange(at ?? "")}
        />
      )}
    </>
  );
}

interface ScopeChoiceProps extends Omit<ComponentProps<"input">, "type" | "value"> {
  error: string | undefined;
}

/** A checkbox for each scope, with what it allows. Other props go to every checkbox. */
function ScopeChoice({ error, ...props }: ScopeChoiceProps) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby={error && `${id}-error`}>
      <legend className="mb-1.5 font-medium">Scopes</legend>
      {SCOPES.map((scope) => (
        <label key={scope} htmlFor={`${id}-${scope}`} className="flex gap-3">
          <input
            {...props}
            type="checkbox"
            id={`${id}-${scope}`}
            value={scope}
            aria-label={scope}
            aria-describedby={`${id}-${scope}-hint`}
            className={cn(BOX, "mt-0.5 rounded checked:bg-check")}
          />
          <span className="flex flex-col">
            <span className="font-mono text-xs">{scope}</span>
            <span id={`${id}-${scope}-hint`} className="text-text-muted text-xs">
              {SCOPE_WORDS[scope]}
            </span>
          </span>
        </label>
      ))}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </fieldset>
  );
}

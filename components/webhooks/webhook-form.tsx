"use client";

import { type FormEvent, useEffect, useRef } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { Failure } from "@/components/failure";
import { isAboutFields, issueOf } from "@/components/form-issues";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import type { Action } from "@/components/use-action";
import { TypesField, typesIn } from "@/components/webhooks/types-field";
import type { NewWebhook } from "@/lib/webhooks/schema";

interface WebhookFormProps {
  initial: NewWebhook;
  action: Action<NewWebhook>;
  verb: string;
  doing: string;
  onClose: () => void;
}

/** A webhook's fields; the service's issues with them show at each. */
export function WebhookForm({ initial, action, onClose, ...words }: WebhookFormProps) {
  const form = useRef<HTMLFormElement>(null);
  // Once the fields show their issues.
  useEffect(() => {
    if (action.error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [action.error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    action.run(fieldsIn(new FormData(event.currentTarget)));
  };
  const { error } = action;
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field label="URL" hint="An https URL that this service can reach." error={issueOf(error, "url")}>
        {(control) => (
          <Input
            {...control}
            name="url"
            type="url"
            defaultValue={initial.url}
            placeholder="https://example.com/hooks/user-groups"
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-xs"
          />
        )}
      </Field>
      <Field label="Description (optional)" error={issueOf(error, "description")}>
        {(control) => (
          <Input
            {...control}
            name="description"
            defaultValue={initial.description}
            autoComplete="off"
            placeholder="What it is for"
          />
        )}
      </Field>
      <TypesField initial={initial.types} error={error} />
      {error && !isAboutFields(error, ["url", "description", "types"]) && (
        <Failure title={action.failed} error={error} />
      )}
      <ActionButtons action={action} {...words} onClose={onClose} />
    </form>
  );
}

function fieldsIn(fields: FormData): NewWebhook {
  const text = (name: string) => String(fields.get(name) ?? "").trim();
  return { url: text("url"), description: text("description"), types: typesIn(fields) };
}

"use client";

import { ActionForm } from "@/components/action-form";
import { issueOf } from "@/components/form-issues";
import { TextField } from "@/components/ui/text-field";
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
export function WebhookForm({ initial, action, ...buttons }: WebhookFormProps) {
  const { error } = action;
  return (
    <ActionForm
      action={action}
      fields={["url", "description", "types"]}
      onSubmit={(fields) => action.run(fieldsIn(fields))}
      {...buttons}
    >
      <TextField
        label="URL"
        hint="An https URL that this service can reach."
        error={issueOf(error, "url")}
        name="url"
        type="url"
        defaultValue={initial.url}
        placeholder="https://example.com/hooks/user-groups"
        isLiteral
        className="font-mono text-xs"
      />
      <TextField
        label="Description (optional)"
        error={issueOf(error, "description")}
        name="description"
        defaultValue={initial.description}
        autoComplete="off"
        placeholder="What it is for"
      />
      <TypesField initial={initial.types} error={error} />
    </ActionForm>
  );
}

function fieldsIn(fields: FormData): NewWebhook {
  const text = (name: string) => String(fields.get(name) ?? "").trim();
  return { url: text("url"), description: text("description"), types: typesIn(fields) };
}

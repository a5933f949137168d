import { useState } from "react";
import { ActionForm } from "@/components/action-form";
import { issueOf } from "@/components/form-issues";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { TextAreaField, TextField } from "@/components/ui/text-field";
import type { Action } from "@/components/use-action";
import { linesOf } from "@/components/viewer-tokens/lines";
import type { NewWebhook } from "@/lib/webhooks/schema";

interface WebhookFormProps {
  initial: NewWebhook;
  action: Action<NewWebhook>;
  verb: string;
  onClose: () => void;
}

/** A webhook's fields, each with the service's issues. */
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

const GROUPS = "user_group.*";
const EXAMPLE = "user_group.created\nuser_group.token_rotated";
interface TypesFieldProps {
  /** null for all */
  initial: readonly string[] | null;
  error: Error | null;
}

/** Which events to send: a choice and a list, read with {@link typesIn}. */
function TypesField({ initial, error }: TypesFieldProps) {
  const first = initial === null ? "all" : initial.join() === GROUPS ? "groups" : "some";
  const [choice, setChoice] = useState(first);
  return (
    <>
      <ChoiceCards
        label="Events"
        name="events"
        defaultValue={first}
        onChange={(event) => setChoice(event.target.value)}
        options={[
          { value: "groups", label: "User groups", hint: "Created, changed, suspended, deleted, token rotated." },
          { value: "all", label: "All events", hint: "The whole history, including API tokens, settings and imports." },
          { value: "some", label: "Custom", hint: "List the types." },
        ]}
      />
      <div hidden={choice !== "some"}>
        <TextAreaField
          label="Types"
          hint="One per line. A star matches any ending, as in api_token.*"
          error={issueOf(error, "types")}
          name="types"
          defaultValue={first === "some" ? initial?.join("\n") : ""}
          placeholder={EXAMPLE}
          rows={3}
          spellCheck={false}
          autoComplete="off"
          className="field-sizing-content max-h-48 min-h-16 font-mono text-xs"
        />
      </div>
    </>
  );
}

/** The types that were chosen; null for all. */
function typesIn(fields: FormData): string[] | null {
  const choice = fields.get("events");
  if (choice === "all") return null;
  return choice === "groups" ? [GROUPS] : linesOf(String(fields.get("types") ?? ""));
}

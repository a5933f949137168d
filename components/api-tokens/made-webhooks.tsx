import type { ReactNode } from "react";
import { Checkbox } from "@/components/ui/checkbox";
import type { MadeWebhooks as Webhooks } from "@/lib/api-tokens/schema";

interface MadeListProps {
  /** the form field, whose values are the ids */
  name: string;
  title: string;
  hint: string;
  items: { id: number; label: string; note: ReactNode }[];
}

/** Things that keep working without their maker, to end in the same step. */
export function MadeList({ name, title, hint, items }: MadeListProps) {
  if (items.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">{title}</legend>
      <p className="text-text-muted text-xs">{hint}</p>
      <div className="flex max-h-48 flex-col gap-1 overflow-y-auto">
        {items.map(({ id, label, note }) => (
          <label key={id} htmlFor={`${name}-${id}`} className="flex gap-2 rounded px-1 py-1 hover:bg-hover">
            <Checkbox id={`${name}-${id}`} name={name} value={id} className="mt-0.5" />
            <span className="min-w-0 break-words">
              {label}
              <span className="block text-text-muted text-xs">{note}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const FIELD = "disableWebhooks";

/** Webhooks that keep sending without their maker, to disable in the same step. */
export function MadeWebhooks({ webhooks }: { webhooks: Webhooks }) {
  const count = webhooks.length;
  return (
    <MadeList
      name={FIELD}
      title={count === 1 ? "1 webhook keeps sending events" : `${count} webhooks keep sending events`}
      hint="Select the ones to disable now."
      items={webhooks.map(({ id, url, description, environment }) => ({
        id,
        label: description || url,
        note: description ? `${environment} · ${url}` : environment,
      }))}
    />
  );
}

export function chosenWebhooks(fields: FormData): number[] {
  return fields.getAll(FIELD).map(Number);
}

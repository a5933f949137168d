import { Checkbox } from "@/components/ui/checkbox";
import type { MadeWebhooks as Webhooks } from "@/lib/api-tokens/schema";

const FIELD = "disableWebhooks";

/** Webhooks that keep sending without their maker, to disable in the same step. */
export function MadeWebhooks({ webhooks }: { webhooks: Webhooks }) {
  if (webhooks.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">
        {webhooks.length === 1 ? "1 webhook keeps sending events" : `${webhooks.length} webhooks keep sending events`}
      </legend>
      <p className="text-text-muted text-xs">Select the ones to disable now.</p>
      <div className="flex max-h-48 flex-col gap-1 overflow-y-auto">
        {webhooks.map(({ id, url, description, environment }) => (
          <label key={id} htmlFor={`disable-${id}`} className="flex gap-2 rounded px-1 py-1 hover:bg-hover">
            <Checkbox id={`disable-${id}`} name={FIELD} value={id} className="mt-0.5" />
            <span className="min-w-0 break-words">
              {description || url}
              <span className="block text-text-muted text-xs">
                {environment}
                {description && ` · ${url}`}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function chosenWebhooks(fields: FormData): number[] {
  return fields.getAll(FIELD).map(Number);
}

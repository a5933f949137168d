import { useState } from "react";
import { issueOf } from "@/components/form-issues";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { TextAreaField } from "@/components/ui/text-field";
import { linesOf } from "@/components/viewer-tokens/lines";

interface OriginsFieldProps {
  /** null if not limited by a list, as `free` describes */
  initial: string[] | null;
  /** the choice without a list */
  free: { label: string; hint: string };
  error: Error | null;
}

/** Where dashboards may be embedded: a choice, and the list; read with {@link originsIn}. */
export function OriginsField({ initial, free, error }: OriginsFieldProps) {
  const [isListed, setListed] = useState(initial !== null);
  return (
    <>
      <ChoiceCards
        label="Embedded on"
        name="limit"
        defaultValue={initial === null ? "free" : "listed"}
        onChange={(event) => setListed(event.target.value === "listed")}
        options={[
          { value: "free", ...free },
          { value: "listed", label: "Only these origins", hint: "An empty list allows none." },
        ]}
      />
      <div hidden={!isListed}>
        <TextAreaField
          label="Origins"
          hint="One per line, as in https://app.example.com. https://*.example.com covers subdomains."
          error={issueOf(error, "allowed_origins")}
          name="origins"
          defaultValue={initial?.join("\n")}
          rows={3}
          spellCheck={false}
          autoComplete="off"
          className="field-sizing-content max-h-60 min-h-16 break-all font-mono text-xs"
        />
      </div>
    </>
  );
}

/** The origins that were chosen; null without a list. */
export function originsIn(fields: FormData): string[] | null {
  return fields.get("limit") === "listed" ? linesOf(String(fields.get("origins") ?? "")) : null;
}

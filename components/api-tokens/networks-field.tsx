import type { ComponentProps } from "react";
import { sentence } from "@/components/form-issues";
import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";

interface NetworksFieldProps extends ComponentProps<typeof Textarea> {
  error: string | undefined;
}

/** The networks that calls are accepted from. */
export function NetworksField({ error, ...props }: NetworksFieldProps) {
  return (
    <Field
      label="Allowed networks (optional)"
      hint="One per line, such as 203.0.113.0/24. Leave empty to allow all."
      error={sentence(error)}
    >
      {(control) => (
        <Textarea
          {...props}
          {...control}
          rows={1}
          spellCheck={false}
          autoComplete="off"
          className="field-sizing-content max-h-40"
        />
      )}
    </Field>
  );
}

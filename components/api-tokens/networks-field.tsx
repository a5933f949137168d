import type { ComponentProps } from "react";
import { sentence } from "@/components/form-issues";
import type { Textarea } from "@/components/ui/input";
import { TextAreaField } from "@/components/ui/text-field";

interface NetworksFieldProps extends ComponentProps<typeof Textarea> {
  error: string | undefined;
}

/** The networks that calls are accepted from. */
export function NetworksField({ error, ...props }: NetworksFieldProps) {
  return (
    <TextAreaField
      label="Allowed networks (optional)"
      hint="One per line, such as 203.0.113.0/24. Leave empty to allow all."
      error={sentence(error)}
      {...props}
      rows={1}
      spellCheck={false}
      autoComplete="off"
      className="field-sizing-content max-h-40"
    />
  );
}

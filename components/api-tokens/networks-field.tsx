"use client";

import type { ComponentProps } from "react";
import { sentence } from "@/components/form-issues";
import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";

interface NetworksFieldProps extends ComponentProps<typeof Textarea> {
  error: string | undefined;
}

/** Where calls may come from. */
export function NetworksField({ error, ...props }: NetworksFieldProps) {
  return (
    <Field
      label="Networks (optional)"
      hint="Where calls may come from, one network a line, as in 203.0.113.0/24. Leave it empty for anywhere."
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

import type { ComponentProps } from "react";
import { Field, type FieldTexts } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";

/** A line of text with its label, hint and error. */
export function TextField({ label, hint, error, ...input }: ComponentProps<typeof Input> & FieldTexts) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Input {...control} {...input} />}
    </Field>
  );
}

/** {@link TextField} of several lines. */
export function TextAreaField({ label, hint, error, ...input }: ComponentProps<typeof Textarea> & FieldTexts) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Textarea {...control} {...input} />}
    </Field>
  );
}

import type { ComponentProps } from "react";
import { Field } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";

type FieldProps = Omit<ComponentProps<typeof Field>, "children">;

/** A line of text with its label, hint and error. */
export function TextField({ label, hint, error, ...input }: ComponentProps<typeof Input> & FieldProps) {
  return <Field {...{ label, hint, error }}>{(control) => <Input {...control} {...input} />}</Field>;
}

/** {@link TextField} of several lines. */
export function TextAreaField({ label, hint, error, ...input }: ComponentProps<typeof Textarea> & FieldProps) {
  return <Field {...{ label, hint, error }}>{(control) => <Textarea {...control} {...input} />}</Field>;
}

import type { ComponentProps } from "react";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

interface TextFieldProps extends ComponentProps<typeof Input>, Omit<ComponentProps<typeof Field>, "children"> {}

/** A line of text with its label, hint and error. */
export function TextField({ label, hint, error, ...input }: TextFieldProps) {
  return <Field {...{ label, hint, error }}>{(control) => <Input {...control} {...input} />}</Field>;
}

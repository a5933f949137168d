import type { ComponentProps } from "react";
import { TextField } from "@/components/ui/text-field";

const MAX_LENGTH = 255;

/** Why groups are suspended. */
export function ReasonField(input: Pick<ComponentProps<typeof TextField>, "name" | "value" | "onChange">) {
  const hint = "Optional. It appears in the history.";
  return <TextField label="Reason" hint={hint} maxLength={MAX_LENGTH} autoComplete="off" {...input} />;
}

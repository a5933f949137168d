import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { Button } from "@/components/ui/button";
import { Field, type FieldTexts } from "@/components/ui/field";
import { Input } from "@/components/ui/input";

/** A password or token field with a button to show its text. */
export function SecretInput(props: Omit<ComponentProps<"input">, "type" | "className">) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <div className="relative">
      <Input
        {...props}
        type={shown ? "text" : "password"}
        spellCheck={false}
        autoCapitalize="none"
        className="pr-control"
      />
      <Button
        icon={Icon}
        variant="ghost"
        size="icon"
        className="absolute inset-y-0 right-0"
        aria-pressed={shown}
        aria-label="Show text"
        title={shown ? "Hide text" : "Show text"}
        onClick={() => setShown(!shown)}
      />
    </div>
  );
}

/** {@link SecretInput} with its label, hint and error. */
export function SecretField({ label, hint, error, ...input }: ComponentProps<typeof SecretInput> & FieldTexts) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <SecretInput {...control} {...input} />}
    </Field>
  );
}

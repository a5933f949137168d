import { type ReactNode, useId } from "react";

interface Control {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: (control: Control) => ReactNode;
}

/** The texts around a control. */
export type FieldTexts = Omit<FieldProps, "children">;

/** A control with its label, hint and error, linked for screen readers. */
export function Field({ label, hint, error: said, children }: FieldProps) {
  const id = useId();
  const error = said && MISSING.test(said) && typeof label === "string" ? askFor(label) : said;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="flex flex-col gap-1.5">
      <label id={`${id}-label`} htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-text-muted text-xs">
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </div>
  );
}

/** The service's messages about missing text. */
const MISSING = /^(must not be (empty|blank)|is required)\b/i;

/** "Enter a name.", "Enter your id for the customer." */
function askFor(label: string): string {
  const noun = label.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  const article = noun.startsWith("your ") ? "" : /^[aeio]/.test(noun) ? "an " : "a ";
  return `Enter ${article}${noun}.`;
}

/** What is wrong with the input, if anything. */
export function FieldError({ id, children }: { id?: string; children: string | undefined }) {
  return (
    children && (
      <p id={id} role="alert" className="text-danger text-xs">
        {children}
      </p>
    )
  );
}

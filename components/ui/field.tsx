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

/** A control with its label, hint and error, linked for screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
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

interface FieldErrorProps {
  id?: string;
  children: string | undefined;
}

/** What is wrong with what was entered, if anything. */
export function FieldError({ id, children }: FieldErrorProps) {
  return (
    children && (
      <p id={id} role="alert" className="text-danger text-xs">
        {children}
      </p>
    )
  );
}

import { type ComponentProps, type ReactNode, useEffect, useRef } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { Failure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import { submitted } from "@/components/submitted";
import type { Action } from "@/components/use-action";

interface ActionFormProps extends Omit<ComponentProps<typeof ActionButtons>, "action"> {
  action: Pick<Action, "state" | "error" | "failed">;
  /** API fields that only the service checks: its issues with them show at the form's own fields */
  fields?: readonly string[];
  onSubmit: (fields: FormData) => void;
  children?: ReactNode;
}

/** A dialog's form for an action. */
export function ActionForm({ action, fields = [], onSubmit, children, ...buttons }: ActionFormProps) {
  const form = useRef<HTMLFormElement>(null);
  // Runs once the fields show their issues.
  useEffect(() => {
    if (action.error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [action.error]);
  return (
    <form ref={form} noValidate={fields.length > 0} onSubmit={submitted(onSubmit)} className="flex grow flex-col gap-4">
      {children}
      {action.error && !isAboutFields(action.error, fields) && <Failure title={action.failed} error={action.error} />}
      <ActionButtons action={action} {...buttons} />
    </form>
  );
}

"use client";

import { type ComponentProps, type FormEvent, useEffect, useRef } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import type { Action } from "@/components/use-action";

interface SettingDialogProps extends Omit<ComponentProps<typeof ActionDialog>, "action"> {
  /** gets the dialog's fields */
  action: Action<FormData>;
  /** of the API: issues with them show at the dialog's own fields */
  fields: readonly string[];
}

/** Changes a setting; the service's issues with it show at its fields. */
export function SettingDialog({ action, fields, children, ...dialog }: SettingDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  // Once the fields show their issues.
  useEffect(() => {
    if (action.error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [action.error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    action.run(new FormData(event.currentTarget));
  };
  return (
    <ActionDialog action={action} {...dialog}>
      <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {action.error && !isAboutFields(action.error, fields) && <Failure title={action.failed} error={action.error} />}
        <ActionButtons action={action} verb="Save" doing="Saving…" onClose={dialog.onClose} />
      </form>
    </ActionDialog>
  );
}

import type { ComponentProps } from "react";
import { ActionForm } from "@/components/action-form";
import { ActionDialog } from "@/components/confirm-dialog";
import type { Action } from "@/components/use-action";

interface SettingDialogProps extends Omit<ComponentProps<typeof ActionDialog>, "action"> {
  /** gets the dialog's fields */
  action: Action<FormData>;
  /** of the API: issues with them show at the dialog's own fields */
  fields: readonly string[];
}

/** Changes a setting; the service's issues with it show at its fields. */
export function SettingDialog({ action, fields, children, ...dialog }: SettingDialogProps) {
  return (
    <ActionDialog action={action} {...dialog}>
      <ActionForm
        action={action}
        fields={fields}
        onSubmit={(sent) => action.run(sent)}
        verb="Save"
        doing="Saving…"
        onClose={dialog.onClose}
      >
        {children}
      </ActionForm>
    </ActionDialog>
  );
}

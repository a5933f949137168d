import { type ComponentProps, useState } from "react";
import { ActionForm } from "@/components/action-form";
import { ConfirmText } from "@/components/confirm-text";
import { Dialog } from "@/components/ui/dialog";
import { type Action, type ActionOptions, useAction } from "@/components/use-action";
import { useEnvironment } from "@/components/use-environment";

type DialogProps = ComponentProps<typeof Dialog>;

interface ActionDialogProps extends Omit<DialogProps, "environment"> {
  action?: Pick<Action, "state">;
  /** the environment that it changes, if not that of the page; null for none */
  environment?: DialogProps["environment"] | null;
}

/** A dialog that says which environment it changes, and stays open while its action is being sent. */
export function ActionDialog({ action, environment, ...props }: ActionDialogProps) {
  const current = useEnvironment();
  const changed = environment === undefined ? current : (environment ?? undefined);
  return <Dialog isHeld={action?.state === "sent"} environment={changed} {...props} />;
}

type Texts = Pick<ActionDialogProps, "title" | "description" | "environment">;

interface ConfirmDialogProps extends Texts, Omit<ComponentProps<typeof ActionForm>, "onSubmit"> {
  /** gets the dialog's fields */
  action: Action<FormData>;
  /** a text to type first */
  retype?: string | false;
}

/** Confirms an action and stays open until it is done. */
export function ConfirmDialog({ title, description, environment, retype, ...form }: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const isTyped = !retype || typed === retype;
  return (
    <ActionDialog
      title={title}
      description={description}
      environment={environment}
      action={form.action}
      onClose={form.onClose}
    >
      <ActionForm {...form} disabled={form.disabled || !isTyped} onSubmit={form.action.run}>
        {form.children}
        {retype && <ConfirmText expected={retype} value={typed} onChange={setTyped} />}
      </ActionForm>
    </ActionDialog>
  );
}

type ConfirmActionProps<Answer> = Omit<ConfirmDialogProps, "action"> & ActionOptions<FormData, Answer>;

/** Confirms an action, makes it, and closes once it is done. */
export function ConfirmAction<Answer>(props: ConfirmActionProps<Answer>) {
  return <ConfirmDialog {...props} action={useAction(props)} />;
}

interface SettingDialogProps extends Omit<ComponentProps<typeof ActionDialog>, "action"> {
  /** gets the dialog's fields */
  action: Action<FormData>;
  /** of the API: issues with them show at the dialog's own fields */
  fields: readonly string[];
}

/** Changes a setting; the service's issues with it show at its fields. */
export function SettingDialog({ action, fields, children, ...dialog }: SettingDialogProps) {
  const { onClose } = dialog;
  return (
    <ActionDialog action={action} {...dialog}>
      <ActionForm action={action} fields={fields} onClose={onClose} onSubmit={action.run} verb="Save">
        {children}
      </ActionForm>
    </ActionDialog>
  );
}

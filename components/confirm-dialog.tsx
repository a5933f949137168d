import { type ComponentProps, useState } from "react";
import { ActionForm } from "@/components/action-form";
import { ConfirmText } from "@/components/confirm-text";
import { Dialog } from "@/components/ui/dialog";
import { type Action, type ActionOptions, useAction } from "@/components/use-action";
import { useEnvironment } from "@/components/use-environment";

type DialogProps = ComponentProps<typeof Dialog>;

interface ActionDialogProps extends Omit<DialogProps, "environment"> {
  action?: Pick<Action, "state">;
  /** the environment the dialog changes, if not the page's; null for none */
  environment?: DialogProps["environment"] | null;
}

/** A dialog that says which environment it changes, and stays open while its action is being sent. */
export function ActionDialog({ action, environment, ...props }: ActionDialogProps) {
  const current = useEnvironment();
  const changed = environment === undefined ? current : (environment ?? undefined);
  return <Dialog isHeld={action?.state === "sent"} environment={changed} {...props} />;
}

interface ConfirmDialogProps
  extends Pick<ActionDialogProps, "title" | "description" | "environment" | "wide" | "sticky" | "loses">,
    Omit<ComponentProps<typeof ActionForm>, "onSubmit"> {
  /** gets the dialog's fields */
  action: Action<FormData>;
  /** text that must be typed first */
  retype?: string | false;
}

/** Asks for an action's fields or for confirmation, and stays open until the action is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, environment, wide, sticky, loses, retype, ...form } = props;
  const { action, onClose, disabled = false, children } = form;
  const [typed, setTyped] = useState("");
  return (
    <ActionDialog {...{ title, description, environment, wide, sticky, loses, action, onClose }}>
      <ActionForm {...form} disabled={disabled || (Boolean(retype) && typed !== retype)} onSubmit={action.run}>
        {children}
        {retype && <ConfirmText expected={retype} value={typed} onChange={setTyped} />}
      </ActionForm>
    </ActionDialog>
  );
}

type ConfirmActionProps<Answer> = Omit<ConfirmDialogProps, "action"> & ActionOptions<FormData, Answer>;

/** Confirms an action, runs it, and closes once it is done. */
export function ConfirmAction<Answer>(props: ConfirmActionProps<Answer>) {
  return <ConfirmDialog {...props} action={useAction(props)} />;
}

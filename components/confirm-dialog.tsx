import { type ComponentProps, useState } from "react";
import { ActionForm } from "@/components/action-form";
import { ConfirmText } from "@/components/confirm-text";
import { Dialog } from "@/components/ui/dialog";
import type { Action } from "@/components/use-action";
import { useEnvironment } from "@/components/use-environment";

type DialogProps = ComponentProps<typeof Dialog>;

interface ActionDialogProps extends Omit<DialogProps, "open" | "onOpenChange" | "isHeld" | "environment"> {
  action: Pick<Action, "state">;
  /** the environment that it changes, if only one: usually that of the page */
  environment?: DialogProps["environment"] | "current";
  onClose: () => void;
}

/** A dialog that stays open while its action is being sent. */
export function ActionDialog({ action, environment, onClose, ...props }: ActionDialogProps) {
  const current = useEnvironment();
  return (
    <Dialog
      open
      isHeld={action.state === "sent"}
      onOpenChange={(open) => !open && onClose()}
      environment={environment === "current" ? current : environment}
      {...props}
    />
  );
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
    <ActionDialog {...{ title, description, environment }} action={form.action} onClose={form.onClose}>
      <ActionForm {...form} disabled={form.disabled || !isTyped} onSubmit={(fields) => form.action.run(fields)}>
        {form.children}
        {retype && <ConfirmText expected={retype} value={typed} onChange={setTyped} />}
      </ActionForm>
    </ActionDialog>
  );
}

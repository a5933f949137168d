import type { ComponentProps } from "react";
import { ActionForm } from "@/components/action-form";
import { Dialog } from "@/components/ui/dialog";
import type { Action } from "@/components/use-action";

interface ActionDialogProps extends Omit<ComponentProps<typeof Dialog>, "open" | "onOpenChange" | "isHeld"> {
  action: Pick<Action, "state">;
  onClose: () => void;
}

/** A dialog that stays open while its action is being sent. */
export function ActionDialog({ action, onClose, ...props }: ActionDialogProps) {
  return <Dialog open isHeld={action.state === "sent"} onOpenChange={(open) => !open && onClose()} {...props} />;
}

type Texts = Pick<ActionDialogProps, "title" | "description" | "environment">;

interface ConfirmDialogProps extends Texts, Omit<ComponentProps<typeof ActionForm>, "onSubmit"> {
  /** gets the dialog's fields */
  action: Action<FormData>;
}

/** Confirms an action and stays open until it is done. */
export function ConfirmDialog({ title, description, environment, ...form }: ConfirmDialogProps) {
  return (
    <ActionDialog {...{ title, description, environment }} action={form.action} onClose={form.onClose}>
      <ActionForm {...form} onSubmit={(fields) => form.action.run(fields)} />
    </ActionDialog>
  );
}

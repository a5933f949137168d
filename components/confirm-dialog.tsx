"use client";

import type { ComponentProps, FormEvent, ReactNode } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { Failure } from "@/components/failure";
import { Dialog } from "@/components/ui/dialog";
import type { Action } from "@/components/use-action";

interface ConfirmDialogProps extends Omit<ComponentProps<typeof ActionButtons>, "action"> {
  title: string;
  description?: string | undefined;
  /** what the button does; it gets the fields of the dialog */
  action: Action<FormData>;
  /** hears of each change of the fields */
  onChoice?: ((fields: FormData) => void) | undefined;
  children?: ReactNode;
}

/** Asks before something is done, and stays until it is. */
export function ConfirmDialog({ title, description, action, onChoice, children, ...buttons }: ConfirmDialogProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    action.run(new FormData(event.currentTarget));
  };
  return (
    <ActionDialog title={title} description={description} action={action} onClose={buttons.onClose}>
      <form
        onSubmit={submit}
        onChange={(event) => onChoice?.(new FormData(event.currentTarget))}
        className="flex flex-col gap-4"
      >
        {children}
        {action.error && <Failure title={action.failed} error={action.error} />}
        <ActionButtons action={action} {...buttons} />
      </form>
    </ActionDialog>
  );
}

interface ActionDialogProps extends Omit<ComponentProps<typeof Dialog>, "open" | "onOpenChange" | "isHeld"> {
  action: Pick<Action, "state">;
  onClose: () => void;
}

/** A dialog that does something: it does not close while that is on its way. */
export function ActionDialog({ action, onClose, ...props }: ActionDialogProps) {
  return <Dialog open isHeld={action.state === "sent"} onOpenChange={(open) => !open && onClose()} {...props} />;
}

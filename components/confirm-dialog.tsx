"use client";

import { type ComponentProps, type FormEvent, type ReactNode, useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ConfirmText } from "@/components/confirm-text";
import { Failure } from "@/components/failure";
import { Dialog } from "@/components/ui/dialog";
import type { Action } from "@/components/use-action";
import { useEnvironment } from "@/components/use-environment";

interface ConfirmDialogProps extends Omit<ComponentProps<typeof ActionButtons>, "action"> {
  title: string;
  description?: ReactNode;
  /** gets the dialog's fields */
  action: Action<FormData>;
  environment?: ActionDialogProps["environment"];
  /** a text to type first */
  retype?: string | false;
  /** called on every field change */
  onChoice?: ((fields: FormData) => void) | undefined;
  children?: ReactNode;
}

/** Confirms an action and stays open until it is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, action, environment, retype, onChoice, disabled, children, ...buttons } = props;
  const [typed, setTyped] = useState("");
  const isRetyped = !retype || typed === retype;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    action.run(new FormData(event.currentTarget));
  };
  return (
    <ActionDialog {...{ title, description, action, environment }} onClose={buttons.onClose}>
      <form
        onSubmit={submit}
        onChange={(event) => onChoice?.(new FormData(event.currentTarget))}
        className="flex flex-col gap-4"
      >
        {children}
        {retype && <ConfirmText expected={retype} value={typed} onChange={setTyped} />}
        {action.error && <Failure title={action.failed} error={action.error} />}
        <ActionButtons action={action} disabled={disabled || !isRetyped} {...buttons} />
      </form>
    </ActionDialog>
  );
}

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

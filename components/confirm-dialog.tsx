import type { ComponentProps, FormEvent, ReactNode } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { Failure } from "@/components/failure";
import { Dialog } from "@/components/ui/dialog";
import type { Action } from "@/components/use-action";

interface ConfirmDialogProps extends Omit<ComponentProps<typeof ActionButtons>, "action"> {
  title: string;
  description?: ReactNode;
  /** gets the dialog's fields */
  action: Action<FormData>;
  /** the environment that it changes, if only one */
  environment?: ComponentProps<typeof Dialog>["environment"];
  /** called on every field change */
  onChoice?: ((fields: FormData) => void) | undefined;
  children?: ReactNode;
}

/** Confirms an action and stays open until it is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, action, environment, onChoice, children, ...buttons } = props;
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

/** A dialog that stays open while its action is being sent. */
export function ActionDialog({ action, onClose, ...props }: ActionDialogProps) {
  return <Dialog open isHeld={action.state === "sent"} onOpenChange={(open) => !open && onClose()} {...props} />;
}

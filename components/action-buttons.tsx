"use client";

import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import type { Action } from "@/components/use-action";

interface ActionButtonsProps {
  action: Pick<Action, "state">;
  /** what the button says: "Delete user group", and while it is done: "Deleting…" */
  verb: string;
  doing: string;
  danger?: boolean;
  /** whether there is still something to fill in */
  disabled?: boolean;
  /** what takes back a step that was not taken yet */
  cancel?: string;
  /** ends what is done in many steps before the next one */
  onStop?: () => void;
  onClose: () => void;
}

/** The foot of a dialog that does something: Cancel until it is sent, and from then on how far it is. */
export function ActionButtons(props: ActionButtonsProps) {
  const { action, verb, doing, danger = false, disabled = false, cancel = "Cancel", onStop, onClose } = props;
  const { state } = action;
  return (
    <>
      {state === "slow" && (
        <Notice role="status" title="There is no answer yet">
          <p>It was sent and cannot be called back. You can close this and are still told the outcome.</p>
        </Notice>
      )}
      {state === "lost" && (
        <Notice tone="warning" role="status" title="The connection broke after this was sent">
          <p>
            It cannot be called back. You learn whether it was done once the connection is back. You can close this
            until then.
          </p>
        </Notice>
      )}
      <DialogActions>
        {state === "ready" && <Button onClick={onClose}>{cancel}</Button>}
        {state !== "ready" && onStop && <Button onClick={onStop}>Stop</Button>}
        {(state === "slow" || state === "lost") && <Button onClick={onClose}>Close</Button>}
        <Button type="submit" variant={danger ? "danger" : "primary"} disabled={disabled || state !== "ready"}>
          {state === "ready" ? verb : state === "lost" ? "Checking…" : doing}
        </Button>
      </DialogActions>
      <span role="status" className="sr-only">
        {state === "sent" && doing}
      </span>
    </>
  );
}

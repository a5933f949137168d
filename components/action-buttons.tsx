import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import type { Action } from "@/components/use-action";

interface ActionButtonsProps {
  action: Pick<Action, "state">;
  /** button labels: "Delete user group", and while running "Deleting…" */
  verb: string;
  doing: string;
  danger?: boolean;
  /** required input is still missing */
  disabled?: boolean;
  /** what the button will do, in a few words */
  note?: ReactNode;
  onClose: () => void;
}

const SLOW = "Still waiting for the service";
const LOST = "No response received";

/** A dialog's footer: Cancel until the request is sent, then its progress. */
export function ActionButtons(props: ActionButtonsProps) {
  const { action, verb, doing, danger = false, disabled = false, note, onClose } = props;
  const { state } = action;
  return (
    <>
      {state === "slow" && (
        <Notice title={SLOW}>
          <p>The request was sent and can’t be cancelled. You can close this; the result will appear.</p>
        </Notice>
      )}
      {state === "lost" && (
        <Notice tone="warning" title={LOST}>
          <p>
            It can’t be cancelled. The dashboard will check the result as soon as the service answers. You can close
            this.
          </p>
        </Notice>
      )}
      <DialogActions note={note}>
        {state === "ready" && <Button onClick={onClose}>Cancel</Button>}
        {(state === "slow" || state === "lost") && <Button onClick={onClose}>Close</Button>}
        <Button type="submit" variant={danger ? "danger" : "primary"} disabled={disabled || state !== "ready"}>
          {state === "ready" ? verb : state === "lost" ? "Checking…" : doing}
        </Button>
      </DialogActions>
      <span role="status" className="sr-only">
        {state === "sent" && doing}
        {state === "slow" && SLOW}
        {state === "lost" && LOST}
      </span>
    </>
  );
}

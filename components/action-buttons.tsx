import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import type { Action } from "@/components/use-action";

interface ActionButtonsProps {
  action: Pick<Action, "state">;
  /** "Delete user group"; while it runs, the button says "Deleting…" */
  verb: string;
  danger?: boolean;
  /** "Cancel" by default */
  cancel?: string;
  /** required input is still missing */
  disabled?: boolean;
  /** what the button will do, in a few words */
  note?: ReactNode;
  onClose: () => void;
}

/** What a button says while it runs: "Delete user group" becomes "Deleting…". */
export const doingOf = (verb: string) => verb.replace(/^(\w+?)e?\b( (?:off|out|visible)\b)?.*$/, "$1ing$2…");

const SLOW = "Still waiting for the service";
const LOST = "No response received";

/** A dialog's footer: Cancel until the request is sent, then its progress. */
export function ActionButtons(props: ActionButtonsProps) {
  const { action, verb, danger = false, cancel = "Cancel", disabled = false, note, onClose } = props;
  const { state } = action;
  const isReady = state === "ready";
  const doing = doingOf(verb);
  return (
    <>
      {state === "slow" && (
        <Notice title={SLOW}>
          <p>The request was sent and cannot be cancelled. You can close this dialog: the result will appear.</p>
        </Notice>
      )}
      {state === "lost" && (
        <Notice tone="warning" title={LOST}>
          <p>
            It cannot be cancelled. The dashboard checks the result as soon as the service answers. You can close this
            dialog.
          </p>
        </Notice>
      )}
      <DialogActions note={note}>
        {isReady && <Button onClick={onClose}>{cancel}</Button>}
        {(state === "slow" || state === "lost") && <Button onClick={onClose}>Close</Button>}
        <Button type="submit" variant={danger ? "danger" : "primary"} disabled={disabled} aria-disabled={!isReady}>
          {isReady ? verb : state === "lost" ? "Checking…" : doing}
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

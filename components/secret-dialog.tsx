import { type ReactNode, useState } from "react";
import { SecretCopied } from "@/components/secret-copied";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";

interface SecretDialogProps {
  title: string;
  description: string;
  secret: string;
  /** what is lost if it closes before the secret is saved */
  loses: string;
  /** the button that confirms saving */
  verb?: string;
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Shows a secret once, and asks before closing unless it was copied, downloaded or confirmed as saved. */
export function SecretDialog(props: SecretDialogProps) {
  const { secret, loses, verb = "I have saved it", onClose, children, ...rest } = props;
  const [isSaved, setSaved] = useState(false);
  const note = (text: string) => text.includes(secret) && setSaved(true);
  return (
    <Dialog
      // A click outside may be a mistake: it asks, or does nothing.
      sticky={isSaved}
      loses={isSaved ? undefined : loses}
      onClose={onClose}
      {...rest}
    >
      {/* Copying a selection by hand counts too. */}
      <div onCopy={() => note(String(window.getSelection()))} className="contents">
        <SecretCopied value={note}>{children}</SecretCopied>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          {verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

"use client";

import { type ReactNode, useState } from "react";
import { SecretCopied } from "@/components/secret-copied";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";

interface SecretDialogProps {
  title: string;
  description: string;
  secret: string;
  /** what is lost when it closes before the secret was saved */
  loses: string;
  /** what says that it was saved */
  verb?: string;
  /** for what needs room */
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Shows what cannot be shown again, and asks before it closes unless that was copied, downloaded or said to be saved. */
export function SecretDialog(props: SecretDialogProps) {
  const { secret, loses, verb = "I have saved it", onClose, children, ...rest } = props;
  const [isSaved, setSaved] = useState(false);
  const note = (text: string) => text.includes(secret) && setSaved(true);
  return (
    <Dialog
      open
      // Beside it one clicks by mistake: that asks, or does nothing.
      sticky={isSaved}
      loses={isSaved ? undefined : loses}
      onOpenChange={(open) => !open && onClose()}
      {...rest}
    >
      {/* Selected and copied by hand it is copied as well. */}
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

import { type ReactNode, useState } from "react";
import { CodeBlock } from "@/components/code-block";
import { SecretCopied } from "@/components/secret-copied";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";

interface SecretDialogProps {
  title: string;
  description: string;
  secret: string;
  /** what is lost if the dialog closes before the secret is saved */
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
      // A click outside may be a mistake: it asks first, or does nothing once saved.
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

interface SecretTextDialogProps extends Omit<SecretDialogProps, "loses" | "children"> {
  /** names the secret, such as "link" */
  what: string;
  /** what to do with it, in a sentence */
  advice: string;
  /** what to do if the secret is lost: "create another" */
  redo: string;
  children?: ReactNode;
}

/** {@link SecretDialog} for one text. */
export function SecretTextDialog({ what, advice, redo, children, ...dialog }: SecretTextDialogProps) {
  const loses = `The ${what} is shown only once. You have not copied it and would have to ${redo}.`;
  return (
    <SecretDialog loses={loses} {...dialog}>
      {/* Not the close button: a second Enter must not lose the secret. */}
      <CodeBlock what={what} text={dialog.secret} isPlain autoFocus />
      <Notice tone="warning">
        <p>It is shown only once. {advice}</p>
      </Notice>
      {children}
    </SecretDialog>
  );
}

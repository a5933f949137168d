import { AskPassword } from "@/components/members/ask-password";
import { BackupCodes, textOf } from "@/components/members/backup-codes";
import { SetUpTwoFactor } from "@/components/members/set-up-two-factor";
import { SecretDialog } from "@/components/secret-dialog";
import { useAction } from "@/components/use-action";
import { accountQuery, disableTwoFactor, makeBackupCodes } from "@/lib/members/account-queries";
import { membersKey } from "@/lib/members/queries";

export type TwoFactorDialog = "set up" | "codes" | "turn off";

interface TwoFactorDialogsProps {
  open: TwoFactorDialog;
  onClose: () => void;
  onDone: () => Promise<void>;
}

/** The dialogs of the second factor, loaded when one is opened. */
export function TwoFactorDialogs({ open, onClose, onDone }: TwoFactorDialogsProps) {
  if (open === "set up") return <SetUpTwoFactor onClose={onClose} onDone={onDone} />;
  if (open === "codes") return <NewBackupCodes onClose={onClose} />;
  return <TurnOff onClose={onClose} />;
}

function NewBackupCodes({ onClose }: { onClose: () => void }) {
  const making = useAction({
    act: makeBackupCodes,
    undone: "No codes were received, and the old ones may have stopped working. Try again.",
    failed: "No codes were created",
    unseen: {
      title: "New backup codes were created",
      description: "They arrived after the dialog closed and cannot be shown again: create new ones.",
    },
  });
  const codes = making.answer;
  if (codes) {
    return (
      <SecretDialog
        title="New backup codes"
        description="The old codes no longer work. These are shown only once: save them somewhere other than your phone."
        secret={textOf(codes).trim()}
        loses="The codes are shown only once, and the old ones no longer work. You have not copied or downloaded them."
        verb="I have saved them"
        onClose={onClose}
      >
        <BackupCodes codes={codes} />
      </SecretDialog>
    );
  }
  return (
    <AskPassword
      title="New backup codes"
      description="Your current codes stop working as soon as new ones are created."
      verb="Create new codes"
      doing="Creating…"
      withCode
      action={making}
      onClose={onClose}
    />
  );
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const turningOff = useAction({
    act: disableTwoFactor,
    wasDone: async (_, read) => !(await read(accountQuery)).twoFactor,
    undone: "The second factor is still on. Try again.",
    failed: "The second factor is still on",
    done: () => ({ title: "The second factor is off" }),
    onDone: onClose,
    reads: [accountQuery.queryKey, membersKey],
  });
  return (
    <AskPassword
      title="Turn off the second factor?"
      description="Anyone with your password can then sign in. Your backup codes and the entry in your app stop working."
      verb="Turn off"
      doing="Turning off…"
      danger
      withCode
      action={turningOff}
      onClose={onClose}
    />
  );
}

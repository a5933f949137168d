"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ShieldCheck, ShieldOff } from "lucide-react";
import { useState } from "react";
import { AskPassword } from "@/components/members/ask-password";
import { BackupCodes, textOf } from "@/components/members/backup-codes";
import { SetUpTwoFactor } from "@/components/members/set-up-two-factor";
import { SecretDialog } from "@/components/secret-dialog";
import { Button } from "@/components/ui/button";
import { useAction } from "@/components/use-action";
import { accountQuery, disableTwoFactor, makeBackupCodes, membersKey } from "@/lib/members/queries";

export function TwoFactor({ isOn }: { isOn: boolean }) {
  const [open, setOpen] = useState<"set up" | "codes" | "turn off">();
  const client = useQueryClient();
  const close = () => setOpen(undefined);
  const readAgain = async () => {
    const keys = [accountQuery.queryKey, membersKey];
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  const Icon = isOn ? ShieldCheck : ShieldOff;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-2">
        <Icon aria-hidden className={isOn ? "size-4 text-success" : "size-4 text-text-muted"} />
        {isOn ? "On." : "Off. Anyone with your password can sign in."}
      </p>
      <div className="flex flex-wrap gap-2">
        {/* One button for both, so that the focus can return to it. */}
        <Button onClick={() => setOpen(isOn ? "turn off" : "set up")}>
          {isOn ? "Turn off" : "Turn on second factor"}
        </Button>
        {isOn && <Button onClick={() => setOpen("codes")}>Create new backup codes</Button>}
      </div>
      {open === "set up" && <SetUpTwoFactor onClose={close} onDone={readAgain} />}
      {open === "codes" && <NewBackupCodes onClose={close} />}
      {open === "turn off" && <TurnOff onClose={close} onDone={readAgain} />}
    </div>
  );
}

function NewBackupCodes({ onClose }: { onClose: () => void }) {
  const making = useAction({
    act: makeBackupCodes,
    // Lost codes are useless: only the response held them.
    wasDone: async () => false,
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

function TurnOff({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const client = useQueryClient();
  const turningOff = useAction({
    act: disableTwoFactor,
    wasDone: async () => !(await client.fetchQuery({ ...accountQuery, staleTime: 0 })).twoFactor,
    undone: "The second factor is still on. Try again.",
    failed: "The second factor is still on",
    done: () => ({ title: "The second factor is off" }),
    onDone: () => {
      onClose();
      return onDone();
    },
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

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

/** Whether the second factor is on, and what can be done about it. */
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
        {/* One button for both, so that the focus has where to return to once it has done the one or the other. */}
        <Button onClick={() => setOpen(isOn ? "turn off" : "set up")}>
          {isOn ? "Turn off" : "Turn on second factor"}
        </Button>
        {isOn && <Button onClick={() => setOpen("codes")}>Make new backup codes</Button>}
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
    // Codes that were made are of no use to anybody: they were in the answer alone.
    wasDone: async () => false,
    undone: "No codes came, and the old ones may have stopped. Make new ones again.",
    failed: "No codes were made",
    unseen: {
      title: "New backup codes were made",
      description: "They came after the dialog was closed and cannot be shown again: make new ones.",
    },
  });
  const codes = making.answer;
  if (codes) {
    return (
      <SecretDialog
        title="New backup codes"
        description="The old codes have stopped. These are shown only now: keep them where you find them without your phone."
        secret={textOf(codes).trim()}
        loses="The codes are shown only now, and the old ones have stopped. You have neither copied nor downloaded them."
        verb="I have kept them"
        onClose={onClose}
      >
        <BackupCodes codes={codes} />
      </SecretDialog>
    );
  }
  return (
    <AskPassword
      title="New backup codes"
      description="The codes you have now stop working as soon as there are new ones."
      verb="Make new codes"
      doing="Making…"
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
      title="Turn the second factor off?"
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

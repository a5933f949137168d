"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ShieldCheck, ShieldOff } from "lucide-react";
import { useState } from "react";
import { AskPassword } from "@/components/members/ask-password";
import { BackupCodes } from "@/components/members/backup-codes";
import { SetUpTwoFactor } from "@/components/members/set-up-two-factor";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { toast } from "@/components/ui/toast";
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
        {isOn ? "It is on." : "It is off: your password alone lets somebody in."}
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
  const making = useMutation({ gcTime: 0, mutationFn: makeBackupCodes });
  return (
    <Dialog
      open
      sticky={making.isSuccess}
      onOpenChange={(open) => !open && onClose()}
      title="New backup codes"
      description={
        making.data
          ? "The old codes have stopped. These are shown only now: keep them where you find them without your phone."
          : "The codes you have now stop working as soon as there are new ones."
      }
    >
      {making.data ? (
        <>
          <BackupCodes codes={making.data} />
          <DialogActions>
            <Button variant="primary" onClick={onClose}>
              I have kept them
            </Button>
          </DialogActions>
        </>
      ) : (
        <AskPassword verb="Make new codes" withCode attempt={making} onCancel={onClose} />
      )}
    </Dialog>
  );
}

function TurnOff({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const turningOff = useMutation({
    gcTime: 0,
    mutationFn: disableTwoFactor,
    onSuccess: () => {
      toast({ title: "The second factor is off" });
      onClose();
      return onDone();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Turn the second factor off?"
      description="Then your password alone lets somebody in. The backup codes stop working, and the entry in your app is of no use any more."
    >
      <AskPassword verb="Turn off" danger withCode attempt={turningOff} onCancel={onClose} />
    </Dialog>
  );
}

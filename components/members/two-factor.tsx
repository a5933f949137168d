import { ShieldCheck, ShieldOff } from "lucide-react";
import type { TwoFactorDialog } from "@/components/members/two-factor-dialogs";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { useReadAgain } from "@/components/use-read-groups";
import { accountQuery } from "@/lib/members/account-queries";
import { membersKey } from "@/lib/members/queries";

const dialogs = onDemand(() => import("@/components/members/two-factor-dialogs"));
const TwoFactorDialogs = dialogs.part("TwoFactorDialogs");

export function TwoFactor({ isOn }: { isOn: boolean }) {
  const [open, show, close] = useOpen<TwoFactorDialog>(dialogs);
  const readAgain = useReadAgain([accountQuery.queryKey, membersKey]);
  const Icon = isOn ? ShieldCheck : ShieldOff;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-2">
        <Icon aria-hidden className={isOn ? "size-4 text-success" : "size-4 text-text-muted"} />
        {isOn ? "On." : "Off. Anyone with your password can sign in."}
      </p>
      <div className="flex flex-wrap gap-2">
        {/* One button for both, so that the focus can return to it. */}
        <Button onClick={() => show(isOn ? "turn off" : "set up")}>
          {isOn ? "Turn off" : "Turn on second factor"}
        </Button>
        {isOn && <Button onClick={() => show("codes")}>Create new backup codes</Button>}
      </div>
      {open && <TwoFactorDialogs open={open} onClose={close} onDone={readAgain} />}
    </div>
  );
}

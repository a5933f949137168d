import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useLeaveGuard } from "@/components/ui/leave-guard";
import { onDemand, useOpen } from "@/components/ui/on-demand";

const leaveDialog = onDemand(() => import("@/components/leave-form"));
const LeaveForm = leaveDialog.part("LeaveForm");

interface LeaveUnsavedProps {
  isDirty: boolean;
  /** makes the form as it is saved */
  onDiscard: () => void;
}

/** Asks before the page is left with unsaved changes. */
export function LeaveUnsaved({ isDirty, onDiscard }: LeaveUnsavedProps) {
  const [leaving, ask, stay] = useOpen<() => void>(leaveDialog);
  const router = useRouter();
  useLeaveGuard(isDirty, (go) => void ask(go), router.push);
  useEffect(() => {
    // Before the connection may be lost.
    if (isDirty) leaveDialog.load().catch(() => undefined);
  }, [isDirty]);
  if (!leaving) return null;
  const leave = () => {
    stay();
    onDiscard();
    // Once the guard is down.
    setTimeout(leaving);
  };
  return <LeaveForm onStay={stay} onLeave={leave} />;
}

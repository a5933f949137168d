import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { useLeaveGuard } from "@/components/ui/leave-guard";
import { onDemand, useOpen } from "@/components/ui/on-demand";

const leaveDialog = onDemand(() => import("@/components/leave-form"));
const LeaveForm = leaveDialog.part("LeaveForm");

interface LeaveUnsavedProps {
  isDirty: boolean;
  /** resets the form to what is saved */
  onDiscard: () => void;
}

/** Asks before leaving the page with unsaved changes. */
export function LeaveUnsaved({ isDirty, onDiscard }: LeaveUnsavedProps) {
  const [leaving, ask, stay] = useOpen<() => void>(leaveDialog);
  const router = useRouter();
  useLeaveGuard(isDirty, (go) => void ask(go), router.push);
  useEffect(() => {
    // Loaded now, in case the connection is lost before leaving.
    if (isDirty) leaveDialog.load().catch(() => undefined);
  }, [isDirty]);
  if (!leaving) return null;
  const leave = () => {
    stay();
    onDiscard();
    // After the guard is removed.
    setTimeout(leaving);
  };
  return <LeaveForm onStay={stay} onLeave={leave} />;
}

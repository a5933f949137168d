import { cn } from "@/lib/browser/class-name";
import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";

const WORDS = { suspended: "Suspended", ended: "Ended" };

/** The state that a member can put a group into; the end of its access is a matter of time. */
export function otherState({ state }: Pick<Group, "state">): GroupState {
  return state === "suspended" ? "active" : "suspended";
}

/** A group's state as a chip; nothing for an active one. */
export function StateMark({ state, className }: Pick<Group, "state"> & { className?: string }) {
  if (state === "active") return null;
  return (
    <span
      className={cn(
        "inline-block rounded border px-1.5 py-px align-middle font-medium text-xs",
        state === "suspended" ? "border-warning/40 bg-warning/10" : "border-border bg-hover text-text-muted",
        className,
      )}
    >
      {WORDS[state]}
    </span>
  );
}

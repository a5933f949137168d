import { ChangeProperty, CopyTokens, RotateGroups, SuspendGroups } from "@/components/groups/bulk-dialogs";
import { ChangeState } from "@/components/groups/change-state";
import { DeleteGroups } from "@/components/groups/delete-groups";
import type { BulkDialogProps } from "@/components/groups/job-dialog";
import type { GroupState } from "@/lib/groups/state-queries";

const DIALOGS = { tokens: CopyTokens, rotate: RotateGroups, property: ChangeProperty, suspend: SuspendGroups };
export type BulkAction = keyof typeof DIALOGS | "delete";

interface ListDialogProps extends BulkDialogProps {
  /** what to do with the groups; a state applies to one group only */
  what: BulkAction | GroupState;
  onDeleted: () => void;
}

/** The dialogs for one row or for the selection. They stay open when a row moves to another page. */
export function ListDialog({ what, onDeleted, ...props }: ListDialogProps) {
  if (what === "delete") return <DeleteGroups {...props} onDeleted={onDeleted} />;
  if (what === "active" || what === "suspended") {
    return props.groups.map((group) => (
      <ChangeState key={group.teamId} group={group} to={what} onClose={props.onClose} />
    ));
  }
  const Open = DIALOGS[what];
  return <Open {...props} />;
}

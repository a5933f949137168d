import { CirclePause, CirclePlay, Code, Copy, KeyRound, Trash2 } from "lucide-react";
import { copyText } from "@/components/copy-button";
import { withFailureToast } from "@/components/failure";
import { otherState } from "@/components/groups/group-use";
import type { Copied } from "@/components/groups/use-row-copy";
import { MenuItem } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";

export interface GroupItemsProps {
  group: Group;
  canWrite: boolean;
  onCopy: (what: Copied) => void;
  onDelete: () => void;
  onState: (to: GroupState) => void;
}

/** What can be done with a group of the list. */
export function GroupItems({ group, canWrite, onCopy, onDelete, onState }: GroupItemsProps) {
  const other = otherState(group);
  const copyId = () =>
    withFailureToast("The id was not copied", async () => {
      await copyText(group.providedId);
      toast({ title: "Copied id" });
    });
  return (
    <>
      {canWrite && (
        <>
          <MenuItem icon={KeyRound} onClick={() => onCopy("token")}>
            Copy token
          </MenuItem>
          <MenuItem icon={Code} onClick={() => onCopy("embed")}>
            Copy embed
          </MenuItem>
        </>
      )}
      <MenuItem icon={Copy} onClick={() => void copyId()}>
        Copy id
      </MenuItem>
      {canWrite && (
        <>
          <MenuItem icon={other === "suspended" ? CirclePause : CirclePlay} onClick={() => onState(other)}>
            {other === "suspended" ? "Suspend…" : "Resume…"}
          </MenuItem>
          <MenuItem icon={Trash2} danger onClick={onDelete}>
            Delete…
          </MenuItem>
        </>
      )}
    </>
  );
}

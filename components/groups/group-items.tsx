import { CirclePause, CirclePlay, Code, Copy, CopyPlus, KeyRound, Trash2 } from "lucide-react";
import { copyText } from "@/components/copy-button";
import { withFailureToast } from "@/components/failure";
import { otherState } from "@/components/groups/group-use";
import type { Copied } from "@/components/groups/use-row-copy";
import { PageLink } from "@/components/page-link";
import { MenuItem, MenuLink } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
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
  const slug = useEnvironmentSlug();
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
          <MenuLink icon={CopyPlus} render={<PageLink href={`/${slug}/groups/new?from=${slug}/${group.teamId}`} />}>
            Duplicate…
          </MenuLink>
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

import { CirclePause, CirclePlay, Code, Copy, CopyPlus, KeyRound, Trash2 } from "lucide-react";
import { copyText } from "@/components/copy-button";
import { withFailureToast } from "@/components/failure";
import { otherState } from "@/components/groups/group-use";
import type { Copied } from "@/components/groups/use-row-copy";
import { PageLink } from "@/components/page-link";
import { MenuItems, MenuLink } from "@/components/ui/menu";
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
  const isActive = other === "suspended";
  return (
    <>
      <MenuItems
        items={[
          canWrite && { label: "Copy token", icon: KeyRound, run: () => onCopy("token") },
          canWrite && { label: "Copy embed", icon: Code, run: () => onCopy("embed") },
          { label: "Copy id", icon: Copy, run: copyId },
        ]}
      />
      {canWrite && (
        <MenuLink icon={CopyPlus} render={<PageLink href={`/${slug}/groups/new?from=${slug}/${group.teamId}`} />}>
          Duplicate…
        </MenuLink>
      )}
      <MenuItems
        items={[
          canWrite && {
            label: isActive ? "Suspend…" : "Resume…",
            icon: isActive ? CirclePause : CirclePlay,
            run: () => onState(other),
          },
          canWrite && { label: "Delete…", icon: Trash2, danger: true, run: onDelete },
        ]}
      />
    </>
  );
}

import { Code, Copy, CopyPlus, Ellipsis, KeyRound, Trash2 } from "lucide-react";
import type { RefObject } from "react";
import { copyText } from "@/components/copy-button";
import { withFailureToast } from "@/components/failure";
import type { RowActions } from "@/components/groups/group-row";
import { stateItem } from "@/components/groups/group-use";
import { PageLink } from "@/components/page-link";
import { Menu, MenuItems, MenuLink } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { Group } from "@/lib/groups/queries";

interface GroupMenuProps {
  group: Group;
  canWrite: boolean;
  actions: RefObject<RowActions>;
}

/** Actions on a group of the list. */
export function GroupMenu({ group, canWrite, actions }: GroupMenuProps) {
  const slug = useEnvironmentSlug();
  const { providedId, teamId, name } = group;
  const copyId = () =>
    withFailureToast("The id was not copied", async () => {
      await copyText(providedId);
      toast({ title: "Copied id" });
    });
  return (
    <Menu align="end" button={{ icon: Ellipsis, variant: "ghost", size: "row", "aria-label": `Actions for ${name}` }}>
      <MenuItems
        items={[
          canWrite && { label: "Copy token", icon: KeyRound, run: () => actions.current.copy(group, "token") },
          canWrite && { label: "Copy embed", icon: Code, run: () => actions.current.copy(group, "embed") },
          { label: "Copy id", icon: Copy, run: copyId },
        ]}
      />
      {canWrite && (
        <MenuLink icon={CopyPlus} render={<PageLink href={`/${slug}/groups/new?from=${slug}/${teamId}`} />}>
          Duplicate…
        </MenuLink>
      )}
      <MenuItems
        items={[
          canWrite && stateItem(group, (to) => actions.current.open(group, to)),
          canWrite && {
            label: "Delete…",
            icon: Trash2,
            danger: true,
            run: () => actions.current.open(group, "delete"),
          },
        ]}
      />
    </Menu>
  );
}

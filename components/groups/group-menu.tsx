import { Ellipsis } from "lucide-react";
import type { GroupItemsProps } from "@/components/groups/group-items";
import { Menu } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";

const parts = onDemand(() => import("@/components/groups/group-items"));
const GroupItems = parts.part("GroupItems");

export function GroupMenu(props: GroupItemsProps) {
  return (
    <Menu
      align="end"
      needs={parts}
      button={{ icon: Ellipsis, variant: "ghost", size: "row", "aria-label": `Actions for ${props.group.name}` }}
    >
      <GroupItems {...props} />
    </Menu>
  );
}

"use client";

import { Menu } from "@base-ui/react/menu";
import { Copy, Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { copyText } from "@/components/copy-button";
import { DeleteGroups } from "@/components/groups/delete-groups";
import { useCanWrite } from "@/components/members/use-member";
import { Button } from "@/components/ui/button";
import { MenuItem, MenuPopup } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import type { GroupSummary } from "@/lib/groups/schema";

// One menu for all rows: a menu for each would be most of what the list renders.
const handle = Menu.createHandle<GroupSummary>();

/** The button of a row that opens the menu for its group. */
export function GroupMenuButton({ group }: { group: GroupSummary }) {
  return (
    <Menu.Trigger
      handle={handle}
      payload={group}
      render={<Button variant="ghost" size="row" className="relative z-10" aria-label={`Actions for ${group.name}`} />}
    >
      <Ellipsis aria-hidden />
    </Menu.Trigger>
  );
}

/** What can be done with a group from the list. */
export function GroupMenu({ onDeleted }: { onDeleted: (group: GroupSummary) => void }) {
  const canWrite = useCanWrite();
  const [deleting, setDeleting] = useState<GroupSummary>();
  const copyId = async (id: string) => {
    try {
      await copyText(id);
      toast({ title: "Copied id" });
    } catch (error) {
      toast({ title: "The id was not copied", description: error instanceof Error ? error.message : "" });
    }
  };
  return (
    <>
      <Menu.Root handle={handle}>
        {({ payload: group }) =>
          group && (
            <MenuPopup align="end">
              <MenuItem onClick={() => void copyId(group.providedId)}>
                <Copy aria-hidden />
                Copy id
              </MenuItem>
              {canWrite && (
                <MenuItem danger onClick={() => setDeleting(group)}>
                  <Trash2 aria-hidden />
                  Delete…
                </MenuItem>
              )}
            </MenuPopup>
          )
        }
      </Menu.Root>
      {deleting && (
        <DeleteGroups
          groups={[deleting]}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => onDeleted(deleting)}
        />
      )}
    </>
  );
}

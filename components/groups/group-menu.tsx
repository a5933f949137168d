"use client";

import { Copy, Ellipsis, Trash2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { copyText } from "@/components/copy-button";
import { isLoaded } from "@/components/ui/load";
import { Menu, MenuItem } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import type { GroupSummary } from "@/lib/groups/schema";

const loadDialog = () => import("@/components/groups/delete-groups").then((module) => module.DeleteGroups);
const DeleteGroups = dynamic(loadDialog);

interface GroupMenuProps {
  group: GroupSummary;
  canWrite: boolean;
  onDeleted: () => void;
}

/** What can be done with a group from the list. */
export function GroupMenu({ group, canWrite, onDeleted }: GroupMenuProps) {
  const [isDeleting, setDeleting] = useState(false);
  const copyId = async () => {
    try {
      await copyText(group.providedId);
      toast({ title: "Copied id" });
    } catch (error) {
      toast({ title: "The id was not copied", description: error instanceof Error ? error.message : "" });
    }
  };
  const ask = async () => setDeleting(await isLoaded(loadDialog));
  return (
    <>
      <Menu
        align="end"
        button={{
          variant: "ghost",
          size: "row",
          className: "relative z-10",
          "aria-label": `Actions for ${group.name}`,
          children: <Ellipsis aria-hidden />,
        }}
      >
        <MenuItem onClick={() => void copyId()}>
          <Copy aria-hidden />
          Copy id
        </MenuItem>
        {canWrite && (
          <MenuItem danger onClick={() => void ask()}>
            <Trash2 aria-hidden />
            Delete…
          </MenuItem>
        )}
      </Menu>
      {isDeleting && <DeleteGroups groups={[group]} onClose={() => setDeleting(false)} onDeleted={onDeleted} />}
    </>
  );
}

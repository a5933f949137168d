"use client";

import { CirclePause, Copy, Ellipsis, Trash2 } from "lucide-react";
import { copyText } from "@/components/copy-button";
import { toastFailure } from "@/components/failure";
import { Menu, MenuItem } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import type { Group } from "@/lib/groups/queries";

interface GroupMenuProps {
  group: Group;
  canWrite: boolean;
  onDelete: () => void;
  onSuspend: () => void;
}

export function GroupMenu({ group, canWrite, onDelete, onSuspend }: GroupMenuProps) {
  const copyId = async () => {
    try {
      await copyText(group.providedId);
      toast({ title: "Copied id" });
    } catch (error) {
      toastFailure("The id was not copied", error);
    }
  };
  return (
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
        <MenuItem onClick={onSuspend}>
          <CirclePause aria-hidden />
          Suspend…
        </MenuItem>
      )}
      {canWrite && (
        <MenuItem danger onClick={onDelete}>
          <Trash2 aria-hidden />
          Delete…
        </MenuItem>
      )}
    </Menu>
  );
}

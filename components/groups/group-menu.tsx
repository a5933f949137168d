"use client";

import { CirclePause, CirclePlay, Copy, Ellipsis, Trash2 } from "lucide-react";
import { copyText } from "@/components/copy-button";
import { toastFailure } from "@/components/failure";
import { otherState } from "@/components/groups/state-mark";
import { Menu, MenuItem } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";

interface GroupMenuProps {
  group: Group;
  canWrite: boolean;
  onDelete: () => void;
  onState: (to: GroupState) => void;
}

export function GroupMenu({ group, canWrite, onDelete, onState }: GroupMenuProps) {
  const other = otherState(group);
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
        <MenuItem onClick={() => onState(other)}>
          {other === "suspended" ? <CirclePause aria-hidden /> : <CirclePlay aria-hidden />}
          {other === "suspended" ? "Suspend…" : "Resume…"}
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

"use client";

import { Menu } from "@base-ui/react/menu";
import { Ellipsis, KeyRound, Trash2, UserRoundCheck, UserRoundCog, UserRoundX } from "lucide-react";
import { useState } from "react";
import {
  ChangeRole,
  DisableMember,
  EnableMember,
  RemoveMember,
  ResetPassword,
} from "@/components/members/member-dialogs";
import { Button } from "@/components/ui/button";
import { MenuItem, MenuPopup, MenuSeparator } from "@/components/ui/menu";
import type { MemberSummary } from "@/lib/members/schema";

const DIALOGS = {
  role: ChangeRole,
  disable: DisableMember,
  enable: EnableMember,
  password: ResetPassword,
  remove: RemoveMember,
};

/** What an owner can do with a member. */
export function MemberMenu({ member }: { member: MemberSummary }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Open = open && DIALOGS[open];
  const isDisabled = member.state === "disabled";
  return (
    <>
      <Menu.Root>
        <Menu.Trigger render={<Button variant="ghost" size="row" aria-label={`Actions for ${member.name}`} />}>
          <Ellipsis aria-hidden />
        </Menu.Trigger>
        <MenuPopup align="end">
          <MenuItem onClick={() => setOpen("role")}>
            <UserRoundCog aria-hidden />
            Change role…
          </MenuItem>
          {isDisabled ? (
            <MenuItem onClick={() => setOpen("enable")}>
              <UserRoundCheck aria-hidden />
              Enable…
            </MenuItem>
          ) : (
            <>
              <MenuItem onClick={() => setOpen("password")}>
                <KeyRound aria-hidden />
                New password…
              </MenuItem>
              <MenuItem onClick={() => setOpen("disable")}>
                <UserRoundX aria-hidden />
                Disable…
              </MenuItem>
            </>
          )}
          <MenuSeparator />
          <MenuItem danger onClick={() => setOpen("remove")}>
            <Trash2 aria-hidden />
            Remove…
          </MenuItem>
        </MenuPopup>
      </Menu.Root>
      {Open && <Open member={member} onClose={() => setOpen(undefined)} />}
    </>
  );
}

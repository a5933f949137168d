"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, KeyRound, Link2, Trash2, UserRoundCheck, UserRoundCog, UserRoundX } from "lucide-react";
import { useState } from "react";
import { LinkedAccounts } from "@/components/members/linked-accounts";
import {
  ChangeRole,
  DisableMember,
  EnableMember,
  RemoveMember,
  ResetPassword,
} from "@/components/members/member-dialogs";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/menu";
import { signInOptionsQuery } from "@/lib/members/queries";
import type { MemberSummary } from "@/lib/members/schema";

const DIALOGS = {
  role: ChangeRole,
  disable: DisableMember,
  enable: EnableMember,
  password: ResetPassword,
  accounts: LinkedAccounts,
  remove: RemoveMember,
};

export function MemberMenu({ member }: { member: MemberSummary }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Open = open && DIALOGS[open];
  const { data: options } = useQuery(signInOptionsQuery);
  const isDisabled = member.state === "disabled";
  return (
    <>
      <Menu
        align="end"
        button={{
          variant: "ghost",
          size: "row",
          "aria-label": `Actions for ${member.name}`,
          children: <Ellipsis aria-hidden />,
        }}
      >
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
        {(options?.oidc || member.accounts.length > 0) && (
          <MenuItem onClick={() => setOpen("accounts")}>
            <Link2 aria-hidden />
            Single sign-on…
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem danger onClick={() => setOpen("remove")}>
          <Trash2 aria-hidden />
          Remove…
        </MenuItem>
      </Menu>
      {Open && <Open member={member} onClose={() => setOpen(undefined)} />}
    </>
  );
}

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
import { Menu, MenuItems, MenuSeparator } from "@/components/ui/menu";
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
  const hasSignOn = Boolean(options?.oidc) || member.accounts.length > 0;
  return (
    <>
      <Menu
        align="end"
        button={{ icon: Ellipsis, variant: "ghost", size: "row", "aria-label": `Actions for ${member.name}` }}
      >
        <MenuItems
          items={[
            { label: "Change role…", icon: UserRoundCog, run: () => setOpen("role") },
            isDisabled && { label: "Enable…", icon: UserRoundCheck, run: () => setOpen("enable") },
            !isDisabled && { label: "New password…", icon: KeyRound, run: () => setOpen("password") },
            !isDisabled && { label: "Disable…", icon: UserRoundX, run: () => setOpen("disable") },
            hasSignOn && { label: "Single sign-on…", icon: Link2, run: () => setOpen("accounts") },
          ]}
        />
        <MenuSeparator />
        <MenuItems items={[{ label: "Remove…", icon: Trash2, danger: true, run: () => setOpen("remove") }]} />
      </Menu>
      {Open && <Open member={member} onClose={() => setOpen(undefined)} />}
    </>
  );
}

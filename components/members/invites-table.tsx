import { X } from "lucide-react";
import { useState } from "react";
import { RenewInvitation } from "@/components/members/invite-member";
import { RelativeTime } from "@/components/relative-time";
import { roleName } from "@/components/roles";
import { Button } from "@/components/ui/button";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { useAction } from "@/components/use-action";
import { askToWithdrawInvite, membersKey, membersQuery } from "@/lib/members/queries";
import type { Invite } from "@/lib/members/schema";

const COLUMNS = [
  { name: "Email", className: "w-[24%]" },
  { name: "Invited by" },
  { name: "Role", className: "w-20" },
  { name: "Expires", className: "w-84" },
];

export function InvitesTable({ invites, isOwner }: { invites: Invite[]; isOwner: boolean }) {
  const [renewed, setRenewed] = useState<Invite>();
  const withdrawal = useAction({
    act: ({ id }: Invite) => askToWithdrawInvite(id),
    wasDone: async ({ id }, read) => !(await read(membersQuery)).invites.some((one) => one.id === id),
    undone: ({ email }) => `The invitation for ${email} is still open. Try again.`,
    failed: "The invitation was not withdrawn",
    isBare: true,
    done: ({ email }) => ({ title: `The invitation for ${email} was withdrawn` }),
    // Also if it is refused, as already accepted or withdrawn.
    reads: [membersKey],
  });
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold text-base">Open invitations</h2>
      <Table
        label="Open invitations"
        columns={COLUMNS}
        hasActions={isOwner}
        rows={invites.map((invite) => (
          <TableRow key={invite.id}>
            <Cell line title={invite.email} className="font-medium @max-4xl:pr-10">
              {invite.email}
            </Cell>
            <Cell label="Invited by" title={invite.createdBy} className="text-text-muted">
              {invite.createdBy}
            </Cell>
            <Cell>{roleName(invite.role)}</Cell>
            <Cell label="Expires" className="text-text-muted">
              <RelativeTime at={invite.expiresAt} />
              {isOwner && (
                <Button size="small" className="ml-3" onClick={() => setRenewed(invite)}>
                  New link…<span className="sr-only"> for {invite.email}</span>
                </Button>
              )}
            </Cell>
            <ActionCell>
              {isOwner && (
                <Button
                  icon={X}
                  variant="ghost"
                  size="row"
                  title="Withdraw"
                  aria-label={`Withdraw the invitation for ${invite.email}`}
                  disabled={withdrawal.state !== "ready"}
                  onClick={() => withdrawal.run(invite)}
                />
              )}
            </ActionCell>
          </TableRow>
        ))}
      />
      {renewed && <RenewInvitation invite={renewed} onClose={() => setRenewed(undefined)} />}
    </section>
  );
}

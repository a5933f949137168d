"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ActionCell, Cell, PeopleRow, PeopleTable } from "@/components/members/people-table";
import { ROLES } from "@/components/members/role-choice";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { membersKey, withdrawInvite } from "@/lib/members/queries";
import type { Invite } from "@/lib/members/schema";

const COLUMNS = [
  { name: "Email" },
  { name: "Role", className: "w-20" },
  { name: "Invited by", className: "w-[24%]" },
  { name: "Expires", className: "w-32" },
];

/** The invitations that nobody has accepted yet. */
export function InvitesTable({ invites, isOwner }: { invites: Invite[]; isOwner: boolean }) {
  const client = useQueryClient();
  const withdrawal = useMutation({
    mutationFn: ({ id }: Invite) => withdrawInvite(id),
    onSuccess: (_, { email }) => toast({ title: `The invitation of ${email} was withdrawn` }),
    onError: ({ message }) => toast({ title: "The invitation was not withdrawn", description: message }),
    // Refused as well: then it was accepted or withdrawn meanwhile.
    onSettled: () => client.invalidateQueries({ queryKey: membersKey }),
  });
  return (
    <section className="flex flex-col gap-3">
      <h2 className="font-semibold text-lg">Open invitations</h2>
      <PeopleTable label="Open invitations" columns={COLUMNS} actions={isOwner ? "w-28" : undefined}>
        {invites.map((invite) => (
          <PeopleRow key={invite.id}>
            <Cell line title={invite.email} className="font-medium @max-4xl:pr-28">
              {invite.email}
            </Cell>
            <Cell>{ROLES.find(({ value }) => value === invite.role)?.label}</Cell>
            <Cell label="Invited by" title={invite.createdBy} className="text-text-muted">
              {invite.createdBy}
            </Cell>
            <Cell label="Expires" className="text-text-muted">
              <RelativeTime at={invite.expiresAt} />
            </Cell>
            {isOwner && (
              <ActionCell>
                <Button
                  variant="ghost"
                  className="h-8"
                  aria-label={`Withdraw the invitation of ${invite.email}`}
                  disabled={withdrawal.isPending}
                  onClick={() => withdrawal.mutate(invite)}
                >
                  Withdraw
                </Button>
              </ActionCell>
            )}
          </PeopleRow>
        ))}
      </PeopleTable>
    </section>
  );
}

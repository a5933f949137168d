"use client";

import { useQuery } from "@tanstack/react-query";
import { UserRoundPlus } from "lucide-react";
import { useId, useState } from "react";
import { Failure } from "@/components/failure";
import { InviteMember } from "@/components/members/invite-member";
import { InvitesTable } from "@/components/members/invites-table";
import { MembersTable } from "@/components/members/members-table";
import { PageHeader } from "@/components/page-header";
import { ROLES } from "@/components/roles";
import { Button } from "@/components/ui/button";
import { useHasRole } from "@/components/use-member";
import { membersQuery } from "@/lib/members/queries";

export function MembersPage() {
  const { data, error, refetch } = useQuery(membersQuery);
  const isOwner = useHasRole("owner");
  const [inviting, setInviting] = useState(false);
  const rolesId = useId();
  return (
    <>
      <PageHeader
        title="Members"
        note={data?.members.length}
        actions={
          isOwner && (
            <Button icon={UserRoundPlus} variant="primary" onClick={() => setInviting(true)}>
              Create invitation
            </Button>
          )
        }
      />
      {error && !data ? (
        <Failure title="The members could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-6">
          <MembersTable members={data?.members} isOwner={isOwner} />
          {data && data.invites.length > 0 && <InvitesTable invites={data.invites} isOwner={isOwner} />}
          <section aria-labelledby={rolesId} className="flex flex-col gap-2">
            <h2 id={rolesId} className="font-semibold text-base">
              What each role may do
            </h2>
            <dl className="rounded-xl border border-border">
              {ROLES.map(({ value, label, hint }) => (
                <div key={value} className="flex gap-4 border-border border-b px-3 py-2.5 last:border-b-0">
                  <dt className="w-16 shrink-0 font-medium">{label}</dt>
                  <dd className="text-text-secondary">{hint}</dd>
                </div>
              ))}
            </dl>
          </section>
          {data?.members.length === 1 && data.invites.length === 0 && isOwner && (
            <p className="text-text-muted">
              You are the only member. Invite a second owner who can let you back in if you lose your password.
            </p>
          )}
        </div>
      )}
      {inviting && <InviteMember onClose={() => setInviting(false)} />}
    </>
  );
}

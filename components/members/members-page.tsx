"use client";

import { useQuery } from "@tanstack/react-query";
import { UserRoundPlus, X } from "lucide-react";
import { useId, useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { issueOf } from "@/components/form-issues";
import { MemberMenu } from "@/components/members/member-menu";
import { OneTimeLink } from "@/components/members/one-time-link";
import { chosenRole, RoleChoice } from "@/components/members/role-choice";
import { PageHeader } from "@/components/page-header";
import { RelativeTime } from "@/components/relative-time";
import { ROLES, roleName } from "@/components/roles";
import { Button, IconButton } from "@/components/ui/button";
import { Face } from "@/components/ui/face";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { TextField } from "@/components/ui/text-field";
import { useAction } from "@/components/use-action";
import { useHasRole } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { askToWithdrawInvite, inviteMember, membersKey, membersQuery, sessionQuery } from "@/lib/members/queries";
import type { Invite, MemberSummary } from "@/lib/members/schema";

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
        <Failure title="The members could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <div className="flex flex-col gap-6">
          <Table
            label="Members"
            columns={COLUMNS}
            hasActions={isOwner}
            rows={data?.members.map((member) => <MemberRow key={member.id} member={member} isOwner={isOwner} />)}
          />
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
      {inviting && <MakeInvitation onClose={() => setInviting(false)} />}
    </>
  );
}

const COLUMNS = [
  { name: "Name", className: "w-[24%]" },
  { name: "Email" },
  { name: "Role", className: "w-20" },
  { name: "State", className: "w-24" },
  { name: "Second factor", className: "w-28" },
  { name: "Last seen", className: "w-32" },
];

function MemberRow({ member, isOwner }: { member: MemberSummary; isOwner: boolean }) {
  const { data: session } = useQuery(sessionQuery);
  const { id, name, email, role, state, twoFactor, lastSeenAt } = member;
  const isDisabled = state === "disabled";
  return (
    <TableRow>
      <Cell line title={name} className={cn("@max-4xl:pr-10", isDisabled && "text-text-muted")}>
        <span className="flex min-w-0 items-center gap-2.5">
          <Face name={name} />
          <span className="truncate font-medium">{name}</span>
          {session?.member.id === id && <span className="text-text-muted"> (you)</span>}
        </span>
      </Cell>
      <Cell line title={email} className="text-text-muted">
        {email}
      </Cell>
      <Cell>{roleName(role)}</Cell>
      <Cell className={isDisabled ? "text-danger" : "text-text-muted"}>{isDisabled ? "Disabled" : "Active"}</Cell>
      <Cell label="Second factor" className={cn(!twoFactor && "text-text-muted")}>
        {twoFactor ? "On" : "Off"}
      </Cell>
      <Cell label="Last seen" className="text-text-muted">
        {lastSeenAt ? <RelativeTime at={lastSeenAt} /> : "No active session"}
      </Cell>
      <ActionCell>{isOwner && <MemberMenu member={member} />}</ActionCell>
    </TableRow>
  );
}

const INVITE_COLUMNS = [
  { name: "Email", className: "w-[24%]" },
  { name: "Invited by" },
  { name: "Role", className: "w-20" },
  { name: "Expires", className: "w-84" },
];

function InvitesTable({ invites, isOwner }: { invites: Invite[]; isOwner: boolean }) {
  const [renewed, setRenewed] = useState<Invite>();
  const withdrawal = useAction({
    act: ({ id }: Invite) => askToWithdrawInvite(id),
    wasDone: async ({ id }, read) => !(await read(membersQuery)).invites.some((one) => one.id === id),
    failed: "The invitation was not withdrawn",
    isBare: true,
    done: ({ email }) => ({ title: `The invitation for ${email} was withdrawn` }),
    // Read even if refused: the invitation may be accepted or withdrawn already.
    reads: [membersKey],
  });
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold text-base">Open invitations</h2>
      <Table
        label="Open invitations"
        columns={INVITE_COLUMNS}
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
                <IconButton
                  icon={X}
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
      {renewed && <MakeInvitation renewed={renewed} onClose={() => setRenewed(undefined)} />}
    </section>
  );
}

const WITHDRAWN = "This invitation was withdrawn or replaced in the meantime.";

interface MakeInvitationProps {
  /** an open invitation to renew: it gets a new link and another week */
  renewed?: Invite;
  onClose: () => void;
}

/** Creates an invitation and shows its link once. */
function MakeInvitation({ renewed, onClose }: MakeInvitationProps) {
  const invitation = useAction({
    act: async (fields: FormData, read) => {
      const isOpen = ({ id, role }: Invite) => id === renewed?.id && role === renewed.role;
      if (renewed && !(await read(membersQuery)).invites.some(isOpen)) throw new Error(WITHDRAWN);
      const { email, role } = renewed ?? { email: String(fields.get("email")), role: chosenRole(fields) };
      return { email, link: await inviteMember({ email, role }) };
    },
    undone: "No link was received. If the list shows the invitation, create a new link for it.",
    failed: "No invitation was created",
    secret: { made: "The invitation was created", again: "create a new link for it" },
    reads: [membersKey],
  });
  const { answer: invited, error } = invitation;
  if (invited) {
    const description = `Send this link to ${invited.email}. It works once, for seven days.`;
    return (
      <OneTimeLink link={invited.link} title="The invitation is ready" description={description} onClose={onClose} />
    );
  }
  const dialog = { action: invitation, environment: null, onClose };
  return renewed ? (
    <ConfirmDialog
      {...dialog}
      title={`New link for ${renewed.email}?`}
      description="You get a link to send, for the same role. The earlier link stops working."
      verb="Create link"
    />
  ) : (
    <ConfirmDialog
      {...dialog}
      fields={["email"]}
      title="Create invitation"
      description="You get a link to send. Its recipient chooses a name and a password."
      verb="Create invitation"
    >
      <TextField
        label="Email"
        hint="Used to sign in."
        error={issueOf(error, "email")}
        name="email"
        type="email"
        autoComplete="off"
      />
      <RoleChoice defaultValue="viewer" />
    </ConfirmDialog>
  );
}

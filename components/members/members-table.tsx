"use client";

import { useQuery } from "@tanstack/react-query";
import { MemberMenu } from "@/components/members/member-menu";
import { ActionCell, Cell, PeopleRow, PeopleTable } from "@/components/members/people-table";
import { ROLES } from "@/components/members/role-choice";
import { RelativeTime } from "@/components/relative-time";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/lib/class-name";
import { sessionQuery } from "@/lib/members/queries";
import type { MemberSummary } from "@/lib/members/schema";

const COLUMNS = [
  { name: "Name", className: "w-[24%]" },
  { name: "Email" },
  { name: "Role", className: "w-20" },
  { name: "State", className: "w-24" },
  { name: "Second factor", className: "w-28" },
  { name: "Last seen", className: "w-32" },
];
const SKELETON_ROWS = 3;

interface MembersTableProps {
  /** undefined while they load */
  members: MemberSummary[] | undefined;
  isOwner: boolean;
}

/** Everybody who has an account. */
export function MembersTable({ members, isOwner }: MembersTableProps) {
  return (
    <PeopleTable label="Members" busy={!members} columns={COLUMNS} actions={isOwner ? "w-12" : undefined}>
      {members
        ? members.map((member) => <MemberRow key={member.id} member={member} isOwner={isOwner} />)
        : Array.from({ length: SKELETON_ROWS }, (_, index) => <SkeletonRow key={String(index)} isOwner={isOwner} />)}
    </PeopleTable>
  );
}

function MemberRow({ member, isOwner }: { member: MemberSummary; isOwner: boolean }) {
  const { data: session } = useQuery(sessionQuery);
  const { id, name, email, role, state, twoFactor, lastSeenAt } = member;
  const isDisabled = state === "disabled";
  return (
    <PeopleRow>
      <Cell line title={name} className={cn("font-medium @max-4xl:pr-10", isDisabled && "text-text-muted")}>
        {name}
        {session?.member.id === id && <span className="font-normal text-text-muted"> (you)</span>}
      </Cell>
      <Cell line title={email} className="text-text-muted">
        {email}
      </Cell>
      <Cell>{ROLES.find(({ value }) => value === role)?.label}</Cell>
      <Cell className={isDisabled ? "text-danger" : "text-text-muted"}>{isDisabled ? "Disabled" : "Active"}</Cell>
      <Cell label="Second factor" className={cn(!twoFactor && "text-text-muted")}>
        {twoFactor ? "On" : "Off"}
      </Cell>
      <Cell label="Last seen" className="text-text-muted">
        {lastSeenAt ? <RelativeTime at={lastSeenAt} /> : "Signed out"}
      </Cell>
      {isOwner && (
        <ActionCell>
          <MemberMenu member={member} />
        </ActionCell>
      )}
    </PeopleRow>
  );
}

function SkeletonRow({ isOwner }: { isOwner: boolean }) {
  return (
    <PeopleRow>
      {["w-32", "w-44", "w-12", "w-14", "w-8", "w-20"].map((width, index) => (
        <Cell key={width} line={index < 2} className="@max-4xl:py-1">
          <Skeleton className={cn("h-3.5 max-w-full", width)} />
        </Cell>
      ))}
      {isOwner && <ActionCell>{null}</ActionCell>}
    </PeopleRow>
  );
}

import { useQuery } from "@tanstack/react-query";
import { MemberMenu } from "@/components/members/member-menu";
import { RelativeTime } from "@/components/relative-time";
import { roleName } from "@/components/roles";
import { Face } from "@/components/ui/face";
import { ActionCell, Cell, Table, TableRow } from "@/components/ui/table";
import { cn } from "@/lib/browser/class-name";
import { sessionQuery } from "@/lib/members/queries";
import type { MemberSummary } from "@/lib/members/schema";

const COLUMNS = [
  { name: "Name", className: "w-[24%]" },
  { name: "Email" },
  { name: "Role", className: "w-20", line: false },
  { name: "State", className: "w-24", line: false },
  { name: "Second factor", className: "w-28", line: false },
  { name: "Last seen", className: "w-32" },
];

interface MembersTableProps {
  /** undefined while loading */
  members: MemberSummary[] | undefined;
  isOwner: boolean;
}

export function MembersTable({ members, isOwner }: MembersTableProps) {
  return (
    <Table
      label="Members"
      columns={COLUMNS}
      hasActions={isOwner}
      rows={members?.map((member) => <MemberRow key={member.id} member={member} isOwner={isOwner} />)}
    />
  );
}

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
        {lastSeenAt ? <RelativeTime at={lastSeenAt} /> : "Signed out"}
      </Cell>
      <ActionCell>{isOwner && <MemberMenu member={member} />}</ActionCell>
    </TableRow>
  );
}

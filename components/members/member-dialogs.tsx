import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { chosenToEnd, MadeByMember } from "@/components/members/made-by-member";
import { OneTimeLink } from "@/components/members/one-time-link";
import { chosenRole, RoleChoice } from "@/components/members/role-choice";
import { roleName } from "@/components/roles";
import { Notice } from "@/components/ui/notice";
import { useAction } from "@/components/use-action";
import { allApiTokensKey } from "@/lib/api-tokens/queries";
import { hasRole } from "@/lib/auth/role";
import {
  askToChangeMember,
  askToMakeResetLink,
  askToRemoveMember,
  membersKey,
  membersQuery,
  sessionQuery,
} from "@/lib/members/queries";
import type { MemberSummary } from "@/lib/members/schema";

interface MemberDialogProps {
  member: MemberSummary;
  onClose: () => void;
}

interface ConfirmationProps extends Omit<ComponentProps<typeof ConfirmDialog>, "action"> {
  member: MemberSummary;
  /** a warning for members acting on themselves */
  toOneself?: string;
  act: (fields: FormData) => Promise<unknown>;
  /** whether the refetched member shows the change */
  isDone: (now: MemberSummary | undefined, fields: FormData) => boolean;
  done: (fields: FormData) => string;
}

/** Confirms a change to a member, makes it and reports it. */
function Confirmation({ member, toOneself, act, isDone, done, children, ...dialog }: ConfirmationProps) {
  const { data: session } = useQuery(sessionQuery);
  const change = useAction({
    act,
    wasDone: async (fields: FormData, read) => {
      const { members } = await read(membersQuery);
      return isDone(
        members.find(({ id }) => id === member.id),
        fields,
      );
    },
    undone: `${member.name} has not changed. Try again.`,
    failed: "Nothing was changed",
    done: (fields) => ({ title: done(fields) }),
    onDone: dialog.onClose,
    reads: [sessionQuery.queryKey, allApiTokensKey, membersKey],
  });
  return (
    <ConfirmDialog action={change} environment={null} {...dialog}>
      {toOneself && session?.member.id === member.id && (
        <Notice tone="warning" title="This is you">
          <p>{toOneself}</p>
        </Notice>
      )}
      {children}
    </ConfirmDialog>
  );
}

function andEnded(fields: FormData): string {
  const { revokeApiTokens, disableWebhooks } = chosenToEnd(fields);
  const parts = [
    [revokeApiTokens.length, "API token", "revoked"],
    [disableWebhooks.length, "webhook", "disabled"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what, done]) => `, and ${count} ${what}${count === 1 ? " was" : "s were"} ${done}`)
    .join("");
}

export function ChangeRole({ member, onClose }: MemberDialogProps) {
  const [role, setRole] = useState(member.role);
  const labelOf = (fields: FormData) => roleName(chosenRole(fields)).toLowerCase();
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Change the role of ${member.name}`}
      description="Takes effect immediately."
      toOneself="With a lower role you can no longer manage members, and only another owner can restore it."
      verb="Change role"
      doing="Changing…"
      isDone={(now, fields) => now?.role === chosenRole(fields)}
      onChoice={(fields) => setRole(chosenRole(fields))}
      act={(fields) => askToChangeMember(member.id, { role: chosenRole(fields), ...chosenToEnd(fields) })}
      done={(fields) => `${member.name} is now ${labelOf(fields)}${andEnded(fields)}`}
    >
      <RoleChoice defaultValue={member.role} />
      {!hasRole(role, member.role) && <MadeByMember memberId={member.id} />}
    </Confirmation>
  );
}

export function DisableMember({ member, onClose }: MemberDialogProps) {
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Disable ${member.name}?`}
      description="All their sessions end, and they cannot sign in until an owner enables them again."
      toOneself="You are signed out immediately, and only another owner can let you back in."
      verb="Disable member"
      doing="Disabling…"
      isDone={(now) => now?.state === "disabled"}
      danger
      act={(fields) => askToChangeMember(member.id, { disabled: true, ...chosenToEnd(fields) })}
      done={(fields) => `${member.name} was disabled${andEnded(fields)}`}
    >
      <MadeByMember memberId={member.id} />
    </Confirmation>
  );
}

export function EnableMember({ member, onClose }: MemberDialogProps) {
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Enable ${member.name}?`}
      description={`They can sign in again with their old password and role: ${member.role}.`}
      verb="Enable member"
      doing="Enabling…"
      isDone={(now) => now?.state === "active"}
      act={() => askToChangeMember(member.id, { disabled: false })}
      done={() => `${member.name} can sign in again`}
    />
  );
}

export function RemoveMember({ member, onClose }: MemberDialogProps) {
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Remove ${member.name}?`}
      description="All their sessions end, and the account is deleted. This cannot be undone. The activity keeps their name."
      toOneself="You are signed out immediately, and only an invitation from another owner lets you back in."
      verb="Remove member"
      doing="Removing…"
      isDone={(now) => now === undefined}
      danger
      retype={member.email}
      act={(fields) => askToRemoveMember(member.id, chosenToEnd(fields))}
      done={(fields) => `${member.name} was removed${andEnded(fields)}`}
    >
      <MadeByMember memberId={member.id} />
    </Confirmation>
  );
}

/** Creates a password link and shows it once. */
export function ResetPassword({ member, onClose }: MemberDialogProps) {
  const making = useAction({
    act: () => askToMakeResetLink(member.id),
    undone: "No link was received. Create another; it replaces this one.",
    failed: "No link was created",
    unseen: {
      title: "A link was created",
      description: "It arrived after the dialog closed and cannot be shown again: create another one.",
    },
  });
  const link = making.answer;
  if (link !== undefined) {
    const description = `Send it to ${member.name}. It works once, for an hour.`;
    return <OneTimeLink link={link} title="The link is ready" description={description} onClose={onClose} />;
  }
  return (
    <ConfirmDialog
      action={making}
      environment={null}
      title={`New password for ${member.name}?`}
      description="You get a link to send. The old password works until they choose a new one; then all their sessions end. Earlier links stop working."
      verb="Create link"
      doing="Creating…"
      onClose={onClose}
    />
  );
}

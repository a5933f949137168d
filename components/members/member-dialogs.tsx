"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { ConfirmText } from "@/components/confirm-text";
import { Failure } from "@/components/failure";
import { chosenApiTokens, MadeByMember } from "@/components/members/made-by-member";
import { OneTimeLink } from "@/components/members/one-time-link";
import { chosenRole, ROLES, RoleChoice } from "@/components/members/role-choice";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { allApiTokensKey } from "@/lib/api-tokens/queries";
import { changeMember, makeResetLink, membersKey, removeMember, sessionQuery } from "@/lib/members/queries";
import { hasRole } from "@/lib/members/role";
import type { MemberSummary } from "@/lib/members/schema";

interface MemberDialogProps {
  member: MemberSummary;
  onClose: () => void;
}

interface ConfirmationProps extends MemberDialogProps {
  title: string;
  description?: string;
  /** what somebody should know who is about to do this to themselves */
  toOneself?: string;
  children?: ReactNode;
  /** what the button says */
  verb: string;
  danger?: boolean;
  /** whether there is still something to fill in */
  disabled?: boolean;
  /** hears of each change of the fields */
  onChoice?: (fields: FormData) => void;
  act: (fields: FormData) => Promise<unknown>;
  done: (fields: FormData) => string;
}

/** Asks before a member is changed, changes it, and says so. */
function Confirmation({
  member,
  onClose,
  toOneself,
  verb,
  danger = false,
  onChoice,
  act,
  done,
  ...rest
}: ConfirmationProps) {
  const { title, description, children, disabled = false } = rest;
  const { data: session } = useQuery(sessionQuery);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: act,
    onSuccess: (_, fields) => {
      toast({ title: done(fields) });
      onClose();
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      void client.invalidateQueries({ queryKey: allApiTokensKey });
      return client.invalidateQueries({ queryKey: membersKey });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={description}>
      <form
        onSubmit={submit}
        onChange={(event) => onChoice?.(new FormData(event.currentTarget))}
        className="flex flex-col gap-4"
      >
        {toOneself && session?.member.id === member.id && (
          <Notice tone="warning" title="This is you">
            <p>{toOneself}</p>
          </Notice>
        )}
        {children}
        {change.error && <Failure title="Nothing was changed" error={change.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant={danger ? "danger" : "primary"} disabled={disabled || change.isPending}>
            {verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function andRevoked(fields: FormData): string {
  const { length } = chosenApiTokens(fields);
  if (length === 0) return "";
  return length === 1 ? ", and 1 API token was revoked" : `, and ${length} API tokens were revoked`;
}

/** Asks for a member's new role. */
export function ChangeRole({ member, onClose }: MemberDialogProps) {
  const [role, setRole] = useState(member.role);
  const labelOf = (fields: FormData) => ROLES.find(({ value }) => value === chosenRole(fields))?.label.toLowerCase();
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Change the role of ${member.name}`}
      description="It counts from their next click on."
      toOneself="With a lesser role you can no longer manage members, and only another owner can give it back."
      verb="Change role"
      onChoice={(fields) => setRole(chosenRole(fields))}
      act={(fields) => changeMember(member.id, { role: chosenRole(fields), revokeApiTokens: chosenApiTokens(fields) })}
      done={(fields) => `${member.name} is ${labelOf(fields)} now${andRevoked(fields)}`}
    >
      <RoleChoice defaultValue={member.role} />
      {!hasRole(role, member.role) && <MadeByMember memberId={member.id} />}
    </Confirmation>
  );
}

/** Asks before a member is kept out. */
export function DisableMember({ member, onClose }: MemberDialogProps) {
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Disable ${member.name}?`}
      description="All their sessions end, and they cannot sign in until an owner enables them again."
      toOneself="You are signed out at once, and only another owner can let you in again."
      verb="Disable member"
      danger
      act={(fields) => changeMember(member.id, { disabled: true, revokeApiTokens: chosenApiTokens(fields) })}
      done={(fields) => `${member.name} is disabled${andRevoked(fields)}`}
    >
      <MadeByMember memberId={member.id} />
    </Confirmation>
  );
}

/** Asks before a member may sign in again. */
export function EnableMember({ member, onClose }: MemberDialogProps) {
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Enable ${member.name}?`}
      description={`They can sign in again, with the password and the role they had: ${member.role}.`}
      verb="Enable member"
      act={() => changeMember(member.id, { disabled: false })}
      done={() => `${member.name} can sign in again`}
    />
  );
}

/** Asks before a member is removed for good. */
export function RemoveMember({ member, onClose }: MemberDialogProps) {
  const [typed, setTyped] = useState("");
  return (
    <Confirmation
      member={member}
      onClose={onClose}
      title={`Remove ${member.name}?`}
      description="All their sessions end, and the account is gone. This cannot be undone. The activity keeps their name."
      toOneself="You are signed out at once, and only an invitation by another owner lets you in again."
      verb="Remove member"
      danger
      disabled={typed !== member.email}
      act={(fields) => removeMember(member.id, chosenApiTokens(fields))}
      done={(fields) => `${member.name} was removed${andRevoked(fields)}`}
    >
      <MadeByMember memberId={member.id} />
      <ConfirmText expected={member.email} value={typed} onChange={setTyped} />
    </Confirmation>
  );
}

/** Makes a link by which a member chooses a new password. */
export function ResetPassword({ member, onClose }: MemberDialogProps) {
  const making = useMutation({ gcTime: 0, mutationFn: () => makeResetLink(member.id) });
  const link = making.data;
  // The link that is being made would be lost.
  const close = () => making.isPending || onClose();
  return (
    <Dialog
      open
      sticky={link !== undefined}
      onOpenChange={(open) => !open && close()}
      title={link === undefined ? `New password for ${member.name}?` : "The link is ready"}
      description={
        link === undefined
          ? "You get a link to send, by which they choose a new password. The old one works until they have; then all their sessions end. A link that was made before stops working."
          : `Send it to ${member.name}. It works once, for an hour.`
      }
    >
      {making.error && <Failure title="No link was made" error={making.error} />}
      {link === undefined ? (
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" onClick={() => making.mutate()} disabled={making.isPending}>
            Make link
          </Button>
        </DialogActions>
      ) : (
        <OneTimeLink link={link} onDone={onClose} />
      )}
    </Dialog>
  );
}

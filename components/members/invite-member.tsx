"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Failure } from "@/components/failure";
import { issueOf } from "@/components/form-issues";
import { OneTimeLink } from "@/components/members/one-time-link";
import { chosenRole, RoleChoice } from "@/components/members/role-choice";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { inviteMember, membersKey } from "@/lib/members/queries";

/** Asks whom to invite and as what, then shows the link to send. */
export function InviteMember({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const invitation = useMutation({ gcTime: 0, mutationFn: inviteMember });
  const { data: link, error, variables } = invitation;
  const emailIssue = issueOf(error, "email");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    invitation.mutate({ email: String(fields.get("email")), role: chosenRole(fields) });
  };
  const close = () => {
    // The link that is being made would be lost.
    if (invitation.isPending) return;
    onClose();
    if (link !== undefined) void client.invalidateQueries({ queryKey: membersKey });
  };
  return (
    <Dialog
      open
      sticky={link !== undefined}
      onOpenChange={(open) => !open && close()}
      title={link === undefined ? "Invite a member" : "The invitation is ready"}
      description={
        link === undefined
          ? "You get a link to send. Whoever opens it chooses a name and a password."
          : `Send this link to ${variables?.email}. It works once, for seven days.`
      }
    >
      {link === undefined ? (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field label="Email" hint="They sign in with it." error={emailIssue}>
            {(control) => <Input {...control} name="email" type="email" autoComplete="off" required />}
          </Field>
          <RoleChoice defaultValue="viewer" />
          {error && !emailIssue && <Failure title="Nobody was invited" error={error} />}
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" variant="primary" disabled={invitation.isPending}>
              Make invitation link
            </Button>
          </DialogActions>
        </form>
      ) : (
        <OneTimeLink link={link} onDone={close} />
      )}
    </Dialog>
  );
}

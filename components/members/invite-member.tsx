import type { FormEvent } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog, ConfirmDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { issueOf } from "@/components/form-issues";
import { OneTimeLink } from "@/components/members/one-time-link";
import { chosenRole, RoleChoice } from "@/components/members/role-choice";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useAction } from "@/components/use-action";
import { inviteMember, membersKey } from "@/lib/members/queries";
import type { Invitation, Invite } from "@/lib/members/schema";

/** Creates an invitation and shows its link once. */
export function InviteMember({ onClose }: { onClose: () => void }) {
  const invitation = useInvitation<Invitation>((fields) => fields);
  const { answer: invited, error } = invitation;
  const emailIssue = issueOf(error, "email");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    invitation.run({ email: String(fields.get("email")), role: chosenRole(fields) });
  };
  if (invited) return <InvitationLink {...invited} onClose={onClose} />;
  return (
    <ActionDialog
      action={invitation}
      environment={null}
      onClose={onClose}
      title="Create invitation"
      description="You get a link to send. Its recipient chooses a name and a password."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Email" hint="Used to sign in." error={emailIssue}>
          {(control) => <Input {...control} name="email" type="email" autoComplete="off" required />}
        </Field>
        <RoleChoice defaultValue="viewer" />
        {error && !emailIssue && <Failure title={invitation.failed} error={error} />}
        <ActionButtons action={invitation} verb="Create invitation" doing="Creating…" onClose={onClose} />
      </form>
    </ActionDialog>
  );
}

/** Gives an open invitation another link, which is shown once, and another week. */
export function RenewInvitation({ invite: { email, role }, onClose }: { invite: Invite; onClose: () => void }) {
  const invitation = useInvitation<FormData>(() => ({ email, role }));
  if (invitation.answer) return <InvitationLink {...invitation.answer} onClose={onClose} />;
  return (
    <ConfirmDialog
      action={invitation}
      environment={null}
      title={`New link for ${email}?`}
      description="You get a link to send, for the same role. The earlier link stops working."
      verb="Create link"
      doing="Creating…"
      onClose={onClose}
    />
  );
}

function useInvitation<Fields>(invitationOf: (fields: Fields) => Invitation) {
  return useAction({
    act: async (fields: Fields) => {
      const invitation = invitationOf(fields);
      return { link: await inviteMember(invitation), email: invitation.email };
    },
    undone: "No link was received. If the list shows the invitation, create a new link for it.",
    failed: "No invitation was created",
    unseen: {
      title: "The invitation was created",
      description: "Its link arrived after the dialog closed and cannot be shown again: create a new link for it.",
    },
    reads: [membersKey],
    isSecret: true,
  });
}

function InvitationLink({ link, email, onClose }: { link: string; email: string; onClose: () => void }) {
  const description = `Send this link to ${email}. It works once, for seven days.`;
  return <OneTimeLink link={link} title="The invitation is ready" description={description} onClose={onClose} />;
}

import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { chosenWebhooks, MadeList, MadeWebhooks } from "@/components/api-tokens/made-webhooks";
import { nameOfScopes } from "@/components/api-tokens/presets";
import { ConfirmAction, ConfirmDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { OneTimeLink } from "@/components/members/one-time-link";
import { chosenRole, RoleChoice } from "@/components/members/role-choice";
import { RelativeTime } from "@/components/relative-time";
import { roleName } from "@/components/roles";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { useAction } from "@/components/use-action";
import { allApiTokensKey } from "@/lib/api-tokens/queries";
import { hasRole, type Role } from "@/lib/auth/role";
import {
  askToChangeMember,
  askToMakeResetLink,
  askToRemoveMember,
  madeQuery,
  membersKey,
  membersQuery,
  sessionQuery,
} from "@/lib/members/queries";
import type { MemberSummary } from "@/lib/members/schema";

export interface MemberDialogProps {
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

/** Confirms a change to a member, applies and reports it. */
function Confirmation({ member, toOneself, isDone, done, children, ...dialog }: ConfirmationProps) {
  const { data: session } = useQuery(sessionQuery);
  return (
    <ConfirmAction
      environment={null}
      wasDone={async (fields, read) => {
        const { members } = await read(membersQuery);
        return isDone(
          members.find(({ id }) => id === member.id),
          fields,
        );
      }}
      done={(fields) => ({ title: done(fields) })}
      reads={[sessionQuery.queryKey, allApiTokensKey, membersKey]}
      {...dialog}
    >
      {toOneself && session?.member.id === member.id && (
        <Notice tone="warning" title="This is you">
          <p>{toOneself}</p>
        </Notice>
      )}
      {children}
    </ConfirmAction>
  );
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
      isDone={(now, fields) => now?.role === chosenRole(fields)}
      act={(fields) => askToChangeMember(member.id, { role: chosenRole(fields), ...chosenToEnd(fields) })}
      done={(fields) => `${member.name} is now ${labelOf(fields)}`}
    >
      <RoleChoice defaultValue={member.role} onChange={({ target }) => setRole(target.value as Role)} />
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
      isDone={(now) => now?.state === "disabled"}
      danger
      act={(fields) => askToChangeMember(member.id, { disabled: true, ...chosenToEnd(fields) })}
      done={() => `${member.name} was disabled`}
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
      description={`They can sign in again with their old password and role: ${roleName(member.role)}.`}
      verb="Enable member"
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
      description="All their sessions end, and the account is deleted. This cannot be undone. The activity keeps their name and email address."
      toOneself="You are signed out immediately, and only an invitation from another owner lets you back in."
      verb="Remove member"
      isDone={(now) => now === undefined}
      danger
      retype={member.email}
      act={(fields) => askToRemoveMember(member.id, chosenToEnd(fields))}
      done={() => `${member.name} was removed`}
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
    secret: { made: "A link was created", again: "create another one" },
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
      title={`Reset the password of ${member.name}?`}
      description="You get a link to send. The old password works until they choose a new one; then all their sessions end. Earlier links stop working."
      verb="Create link"
      onClose={onClose}
    />
  );
}

const FIELD = "revokeApiTokens";

/** A member's working API tokens and webhooks, to end in the same step, and links that stop working anyway. */
function MadeByMember({ memberId }: { memberId: string }) {
  const { data, error, isPending } = useQuery(madeQuery(memberId));
  const { environments = [] } = useQuery(sessionQuery).data ?? {};
  const nameOf = (slug: string) => environments.find((one) => one.slug === slug)?.name ?? slug;
  if (isPending) return <Skeleton className="h-10 w-full" />;
  if (error) return <Failure title="Could not load what this member created" error={error} />;
  const { apiTokens: tokens, webhooks, links } = data;
  if ([tokens, webhooks, links].every(({ length }) => length === 0)) return null;
  return (
    <section aria-label="Created by this member" className="flex flex-col gap-3 rounded-md border border-border p-3">
      <MadeList
        name={FIELD}
        title={tokens.length === 1 ? "1 API token keeps working" : `${tokens.length} API tokens keep working`}
        hint="Programs may depend on them. Select the ones to revoke now."
        items={tokens.map(({ id, name, environment, scopes, lastUsedAt }) => ({
          id,
          label: name,
          note: (
            <>
              {nameOf(environment)} · {nameOfScopes(scopes)} · {lastUsedAt ? "last used " : "never used"}
              {lastUsedAt && <RelativeTime at={lastUsedAt} />}
            </>
          ),
        }))}
      />
      <MadeWebhooks webhooks={webhooks.map((one) => ({ ...one, environment: nameOf(one.environment) }))} />
      {links.length > 0 && (
        <div className="flex flex-col gap-1">
          <p className="font-medium">
            {links.length === 1 ? "1 link stops working" : `${links.length} links stop working`}
          </p>
          <ul className="text-text-muted text-xs">
            {links.map(({ id, purpose, email }) => (
              <li key={id} className="break-words">
                {purpose === "invite" ? "Invitation for" : "New password for"} {email}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** The API tokens and webhooks selected to end. */
function chosenToEnd(fields: FormData) {
  return { revokeApiTokens: fields.getAll(FIELD).map(Number), disableWebhooks: chosenWebhooks(fields) };
}

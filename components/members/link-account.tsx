"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { issueOf } from "@/components/form-issues";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useAction } from "@/components/use-action";
import { askToLinkAccount, membersKey, membersQuery, signInOptionsQuery } from "@/lib/members/queries";
import type { MemberSummary } from "@/lib/members/schema";

/** Links a member to the account at the provider with which a sign-in was refused. */
export function LinkAccount({ member, onClose }: { member: MemberSummary; onClose: () => void }) {
  const client = useQueryClient();
  const { data: options } = useQuery(signInOptionsQuery);
  const provider = options?.oidc?.name ?? "the provider";
  const linking = useAction({
    act: (code: string) => askToLinkAccount(member.id, code),
    wasDone: async () => {
      const { members } = await client.fetchQuery({ ...membersQuery, staleTime: 0 });
      return members.some(({ id, accounts }) => id === member.id && accounts.length > 0);
    },
    undone: "The account is not linked. Try again.",
    failed: "Nothing was linked",
    done: () => ({ title: `${member.name} can sign in with ${provider}` }),
    onDone: () => {
      onClose();
      return client.invalidateQueries({ queryKey: membersKey });
    },
  });
  const issue = issueOf(linking.error, "code");
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    linking.run(String(new FormData(event.currentTarget).get("code")));
  };
  return (
    <ActionDialog
      action={linking}
      onClose={onClose}
      title={`Single sign-on of ${member.name}`}
      description={`The first sign-in with ${provider} links the account if ${provider} has verified ${member.email}. Otherwise it shows a code.`}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Code"
          hint="Take it from the member in person: the account it was shown to will sign in as them."
          error={issue}
        >
          {(control) => <Input {...control} name="code" autoComplete="off" required className="font-mono uppercase" />}
        </Field>
        {linking.error && !issue && <Failure title={linking.failed} error={linking.error} />}
        <ActionButtons action={linking} verb="Link account" doing="Linking…" onClose={onClose} />
      </form>
    </ActionDialog>
  );
}

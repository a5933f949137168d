import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { LinkAccount } from "@/components/members/link-account";
import { LinkedAccountList } from "@/components/members/linked-account-list";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { useAction } from "@/components/use-action";
import { askToUnlinkAccount, membersKey, membersQuery, signInOptionsQuery } from "@/lib/members/queries";
import type { LinkedAccount, MemberSummary } from "@/lib/members/schema";

interface LinkedAccountsProps {
  member: MemberSummary;
  onClose: () => void;
}

/** Lets an owner link a member to an account at the provider, or unlink it. */
export function LinkedAccounts({ member, onClose }: LinkedAccountsProps) {
  // As it was when the dialog opened: it closes after either change.
  const [isLinked] = useState(member.accounts.length > 0);
  const Dialog = isLinked ? UnlinkAccounts : LinkAccount;
  return <Dialog member={member} onClose={onClose} />;
}

function UnlinkAccounts({ member, onClose }: LinkedAccountsProps) {
  const { data: options } = useQuery(signInOptionsQuery);
  const provider = options?.oidc?.name ?? "the provider";
  const unlinking = useAction({
    act: ({ id }: LinkedAccount) => askToUnlinkAccount(member.id, id),
    wasDone: async (account, read) => {
      const { members } = await read(membersQuery);
      return !members.some(({ accounts }) => accounts.some(({ id }) => id === account.id));
    },
    undone: "The account is still linked. Try again.",
    failed: "Nothing was unlinked",
    done: () => ({ title: `An account of ${member.name} was unlinked` }),
    onDone: () => {
      if (member.accounts.length === 1) onClose();
    },
    reads: [membersKey],
  });
  return (
    <ActionDialog
      environment={null}
      action={unlinking}
      onClose={onClose}
      title={`Single sign-on of ${member.name}`}
      description={`These accounts at ${provider} sign in as ${member.name}. Unlinking one ends the member's sessions. The next account there with the verified email ${member.email} takes its place: disable the member to prevent that.`}
    >
      <LinkedAccountList
        accounts={member.accounts}
        action={(account) => (
          <Button
            variant="danger"
            aria-label={`Unlink ${account.subject}`}
            disabled={unlinking.state !== "ready"}
            onClick={() => unlinking.run(account)}
          >
            {unlinking.state === "ready" ? "Unlink" : "Unlinking…"}
          </Button>
        )}
      />
      {unlinking.error && <Failure title={unlinking.failed} error={unlinking.error} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </ActionDialog>
  );
}

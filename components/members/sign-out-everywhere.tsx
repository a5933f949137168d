import { useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { useAction } from "@/components/use-action";
import { accountQuery, askToSignOutEverywhere } from "@/lib/members/account-queries";
import { signedIn } from "@/lib/members/queries";

export function SignOutEverywhere({ others, onClose }: { others: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const leaving = useAction({
    act: () => askToSignOutEverywhere({ others }),
    wasDone: async (_, read) =>
      others ? (await read(accountQuery)).sessions.length === 1 : (await signedIn()) === null,
    failed: "No session was ended",
    done: others ? () => ({ title: "All other sessions have ended" }) : undefined,
    onDone: () => {
      // The load of a page clears what was read; before it, nothing may be read again.
      if (!others) return window.location.assign("/sign-in");
      onClose();
      return client.invalidateQueries({ queryKey: accountQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog
      environment={null}
      action={leaving}
      title={others ? "Sign out all others?" : "Sign out everywhere?"}
      description={
        others
          ? "All other browsers are signed out immediately. You stay signed in here."
          : "All browsers are signed out immediately, including this one."
      }
      verb={others ? "Sign out all others" : "Sign out everywhere"}
      onClose={onClose}
    />
  );
}

import { ConfirmAction } from "@/components/confirm-dialog";
import { accountQuery, askToSignOutEverywhere } from "@/lib/members/account-queries";
import { signedIn } from "@/lib/members/queries";

export function SignOutEverywhere({ others, onClose }: { others: boolean; onClose: () => void }) {
  return (
    <ConfirmAction
      environment={null}
      act={() => askToSignOutEverywhere({ others })}
      wasDone={async (_, read) =>
        others ? (await read(accountQuery)).sessions.length === 1 : (await signedIn()) === null
      }
      failed="No session was ended"
      done={others ? () => ({ title: "All other sessions have ended" }) : undefined}
      // Loading a page clears the cache. Until then nothing may be refetched, as the session is over.
      onDone={() => others || window.location.assign("/sign-in")}
      reads={others ? [accountQuery.queryKey] : []}
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

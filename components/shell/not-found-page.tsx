import { useQuery } from "@tanstack/react-query";
import { MessagePage } from "@/components/message-page";
import { Prefetched } from "@/components/prefetched";
import { NotFoundInShell } from "@/components/shell/shell";
import { buttonLook } from "@/components/ui/button";
import { cn } from "@/lib/browser/class-name";
import { sessionQuery, signedInQuery } from "@/lib/members/queries";

/** 404: in the shell for members, on its own page for anyone else. */
export function NotFoundPage() {
  const { data: session, isPending, dataUpdatedAt } = useQuery(signedInQuery);
  if (session) {
    return (
      <Prefetched queryKey={sessionQuery.queryKey} answer={{ data: session, at: dataUpdatedAt }}>
        <NotFoundInShell environments={session.environments}>The address may be mistyped.</NotFoundInShell>
      </Prefetched>
    );
  }
  return (
    <MessagePage title="Page not found">
      {!isPending && (
        <>
          <p className="text-text-muted">The address may be mistyped.</p>
          <a href="/sign-in" className={cn(buttonLook(), "self-start")}>
            Sign in
          </a>
        </>
      )}
    </MessagePage>
  );
}

import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { MessagePage } from "@/components/message-page";
import { NotFound } from "@/components/not-found";
import { Prefetched } from "@/components/prefetched";
import { Shell } from "@/components/shell/shell";
import { buttonLook } from "@/components/ui/button";
import { EnvironmentInstead, useHome } from "@/components/use-environment";
import { sessionQuery, signedInQuery } from "@/lib/members/queries";
import type { SessionAnswer } from "@/lib/members/schema";

/** 404: in the shell for members, on its own page for anyone else. */
export function NotFoundPage() {
  const { data: session, isPending, dataUpdatedAt } = useQuery(signedInQuery);
  if (session) {
    return (
      <Prefetched queryKey={sessionQuery.queryKey} answer={{ data: session, at: dataUpdatedAt }}>
        <InShell session={session} />
      </Prefetched>
    );
  }
  return (
    <MessagePage title="Page not found">
      {!isPending && (
        <>
          <p className="text-text-muted">The address may be mistyped.</p>
          <div>
            <a href="/sign-in" className={buttonLook()}>
              Sign in
            </a>
          </div>
        </>
      )}
    </MessagePage>
  );
}

function InShell({ session: { environments } }: { session: SessionAnswer }) {
  const [, first = ""] = usePathname().split("/");
  const home = useHome(environments);
  const slug = environments.find((one) => one.slug === first)?.slug ?? home;
  return (
    <EnvironmentInstead value={slug}>
      <Shell>
        <NotFound>The address may be mistyped.</NotFound>
      </Shell>
    </EnvironmentInstead>
  );
}

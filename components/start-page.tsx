"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { Failure } from "@/components/failure";
import { MessagePage } from "@/components/message-page";
import { useHome } from "@/components/use-environment";
import { useInBrowser } from "@/components/use-in-browser";
import { sessionQuery } from "@/lib/members/queries";

/** Redirects to the groups of the home environment. */
export function StartPage() {
  const { data, error, refetch } = useQuery(sessionQuery);
  const router = useRouter();
  const home = useHome(data?.environments ?? []);
  const isInBrowser = useInBrowser();
  useEffect(() => {
    if (isInBrowser && home) router.replace(`/${home}/groups`);
  }, [isInBrowser, home, router]);
  if (!error) return null;
  return (
    <MessagePage title="User groups">
      <Failure title="The dashboard could not be opened" error={error} onRetry={refetch} />
    </MessagePage>
  );
}

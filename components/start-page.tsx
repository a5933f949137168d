"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { lastEnvironment } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { MessagePage } from "@/components/message-page";
import { sessionQuery } from "@/lib/members/queries";

/** Leads to the groups of the environment that was open last. */
export function StartPage() {
  const { data, error, refetch } = useQuery(sessionQuery);
  const router = useRouter();
  useEffect(() => {
    if (!data) return;
    const last = lastEnvironment();
    const { slug } = data.environments.find((one) => one.slug === last) ?? data.environments[0] ?? {};
    if (slug) router.replace(`/${slug}/groups`);
  }, [data, router]);
  if (!error) return null;
  return (
    <MessagePage title="User groups">
      <Failure title="The dashboard could not be opened" error={error} onRetry={() => void refetch()} />
    </MessagePage>
  );
}

import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { Prefetched } from "@/components/prefetched";
import { Shell } from "@/components/shell/shell";
import { prefetch } from "@/lib/endpoint/prefetch";
import { sessionQuery } from "@/lib/members/queries";

interface LayoutProps {
  children: ReactNode;
  params: Promise<{ environment: string }>;
}

export default async function EnvironmentLayout({ children, params }: LayoutProps) {
  const { environment } = await params;
  // Not a slug, so not a page: /favicon.ico, for example.
  if (!/^[a-z][a-z0-9-]*$/.test(environment)) notFound();
  return (
    <Prefetched
      queryKey={sessionQuery.queryKey}
      answer={await prefetch({ path: "/api/admin/session", environment: "-" })}
    >
      <Shell>{children}</Shell>
    </Prefetched>
  );
}

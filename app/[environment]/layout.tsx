import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { AnswerAhead } from "@/components/answer-ahead";
import { Shell } from "@/components/shell/shell";
import { askAhead } from "@/lib/endpoint/ahead";
import { sessionQuery } from "@/lib/members/queries";

interface LayoutProps {
  children: ReactNode;
  params: Promise<{ environment: string }>;
}

export default async function EnvironmentLayout({ children, params }: LayoutProps) {
  const { environment } = await params;
  // No slug has another look: this is an address that leads nowhere, such as /favicon.ico.
  if (!/^[a-z][a-z0-9-]*$/.test(environment)) notFound();
  return (
    <AnswerAhead
      queryKey={sessionQuery.queryKey}
      answer={await askAhead({ path: "/api/admin/session", environment: "-" })}
    >
      <Shell>{children}</Shell>
    </AnswerAhead>
  );
}

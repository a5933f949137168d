import type { ReactNode } from "react";
import { PageTitle } from "@/components/page-title";

/** A page with a single message. */
export function MessagePage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="mx-auto flex max-w-2xl flex-col gap-6 px-4 py-16 text-sm leading-6">
      <PageTitle screen={title} />
      <h1 className="text-xl font-semibold">{title}</h1>
      {children}
    </main>
  );
}

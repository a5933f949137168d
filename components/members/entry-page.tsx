import type { ReactNode } from "react";
import { PageTitle } from "@/components/page-title";

/** A page before sign-in: one centred card. */
export function EntryPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 py-[max(48px,14vh)]">
      <PageTitle screen={title} />
      <div className="flex w-full max-w-sm flex-col gap-6">
        <p className="flex items-center justify-center gap-2.5 font-semibold">
          <span aria-hidden className="size-3 rotate-45 rounded-[3px] bg-accent" />
          User groups
        </p>
        <section className="flex flex-col gap-5 rounded-lg border border-border bg-surface p-6">
          <h1 className="font-semibold text-xl">{title}</h1>
          {children}
        </section>
      </div>
    </main>
  );
}

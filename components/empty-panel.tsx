import type { ReactNode } from "react";

/** Replaces an empty list and says how to fill it. */
export function EmptyPanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-4 rounded-xl border border-border p-6">
      <h2 className="font-semibold text-base">{title}</h2>
      {children}
    </div>
  );
}

import type { ReactNode } from "react";

/** Replaces an empty list and says how to fill it. */
export function EmptyPanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex max-w-2xl flex-col gap-4 rounded-md border border-border bg-surface p-6">
      <h2 className="font-semibold text-lg">{title}</h2>
      {children}
    </div>
  );
}

import { cn } from "@/lib/browser/class-name";

/** Holds the place of loading content. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn("animate-pulse rounded bg-pressed", className)} />;
}

import { useQuery } from "@tanstack/react-query";
import { addressOf, VIEWS } from "@/components/groups/list-state";
import { PageLink } from "@/components/page-link";
import { Skeleton } from "@/components/ui/skeleton";
import { StackedBar } from "@/components/ui/stacked-bar";
import { USE_WORDS, type Use, UseMark } from "@/components/ui/use-mark";
import { ALL_GROUPS, summaryQuery } from "@/lib/groups/queries";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";

const PARTS = [
  ["in_use", "in use", "text-success"],
  ["idle", "idle", "text-idle"],
  ["never_used", "never", "text-border-strong"],
  ["suspended", "suspended", "text-danger"],
  ["ended", "ended", "text-warning"],
] as const satisfies [keyof SummaryAnswer["states"], Use, string][];

/** URL of the list of groups in a state. */
function listOf(slug: string, key: keyof SummaryAnswer["states"]): string {
  const { state, used } = VIEWS.find((view) => view.key === key) ?? { state: key, used: "" };
  return addressOf(slug, { ...ALL_GROUPS, state, used });
}

/** How an environment's groups are used, as a bar with its figures. */
export function Shares({ slug }: { slug: string }) {
  const { data, isError } = useQuery(summaryQuery(slug));
  if (isError) return <span className="text-text-muted">Usage could not be loaded.</span>;
  if (!data) return <Skeleton className="h-6.5" />;
  const { total, states, counts_are_exact: isExact } = data;
  if (total === 0) {
    return (
      <div className="flex flex-col gap-2">
        <div className="h-1.5 rounded-full border border-border-strong border-dashed" />
        <p className="text-text-muted text-xs">Create the first user group to see how it is used.</p>
      </div>
    );
  }
  const parts = PARTS.map(([key, use, className]) => ({ key, use, className, count: states[key] })).filter(
    ({ count }) => count > 0,
  );
  return (
    <div className="flex flex-col gap-1">
      <StackedBar parts={parts} className="h-1.5" />
      <ul className="-mb-1 flex flex-wrap gap-x-4 text-text-secondary text-xs">
        {parts.map(({ key, use, count }) => (
          <li key={use} className="flex min-h-6 items-center gap-1.5 tabular-nums">
            <UseMark use={use} />
            <PageLink href={listOf(slug, key)} className="rounded-sm underline-offset-4 hover:underline">
              {!isExact && "about "}
              {count.toLocaleString("en")} {USE_WORDS[use].toLowerCase()}
            </PageLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

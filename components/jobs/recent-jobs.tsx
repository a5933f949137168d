import { useQuery } from "@tanstack/react-query";
import { Failure } from "@/components/failure";
import { summaryOf } from "@/components/jobs/words";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { jobsQuery } from "@/lib/jobs/queries";

export function RecentJobs() {
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(jobsQuery(slug));
  if (error && !data) {
    return <Failure title="Earlier jobs could not be loaded" error={error} onRetry={refetch} />;
  }
  if (!data || data.jobs.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold text-base">Recent jobs</h2>
      <ul aria-label="Recent jobs" className="overflow-hidden rounded-xl border border-border bg-surface">
        {data.jobs.map((one) => (
          <li
            key={one.id}
            className={cn(
              "relative flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-border border-b px-3 py-2.5",
              "last:border-b-0 hover:bg-hover",
            )}
          >
            <div className="min-w-0">
              <PageLink
                href={`/${slug}/groups/jobs/${one.id}`}
                className="break-all font-medium after:absolute after:inset-0"
              >
                {one.name}
              </PageLink>
              <p className="text-text-muted">{summaryOf(one)}</p>
            </div>
            <p className="min-w-0 truncate text-text-muted">
              {one.by} · <RelativeTime at={one.created_at} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { summaryOf } from "@/components/imports/words";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { importsQuery } from "@/lib/imports/queries";

export function RecentImports() {
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(importsQuery(slug));
  if (error && !data) {
    return <Failure title="Earlier imports could not be loaded" error={error} onRetry={() => void refetch()} />;
  }
  if (!data || data.imports.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h2 className="font-semibold text-lg">Recent imports</h2>
      <ul aria-label="Recent imports" className="rounded-md border border-border bg-surface">
        {data.imports.map((one) => (
          <li
            key={one.id}
            className="relative flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-border border-b px-3 py-2.5 last:border-b-0 hover:bg-hover"
          >
            <div className="min-w-0">
              <PageLink
                href={`/${slug}/groups/import/${one.id}`}
                className="break-all font-medium after:absolute after:inset-0"
              >
                {one.file_name}
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

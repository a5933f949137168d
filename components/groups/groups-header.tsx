import { useQuery } from "@tanstack/react-query";
import { Plus, Upload } from "lucide-react";
import { totalOf } from "@/components/count";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { buttonLook } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useIsReader } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { type GroupPage, summaryQuery } from "@/lib/groups/queries";
import { sessionQuery } from "@/lib/members/queries";

interface GroupsHeaderProps {
  /** of the list, if it is known */
  total: GroupPage["total"] | undefined;
  isFiltered: boolean;
  isEmpty: boolean;
  /** the first step below is the primary one then */
  isBare: boolean;
}

export function GroupsHeader({ isBare, ...list }: GroupsHeaderProps) {
  const slug = useEnvironmentSlug();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const isReader = useIsReader();
  return (
    <PageHeader
      title="User groups"
      screen="Groups"
      note={<Total {...list} />}
      actions={
        // Laid out before it is known who reads, so that nothing moves.
        !isReader && (
          <div className={cn("flex flex-wrap items-center gap-2", !isMemberKnown && "invisible")}>
            <PageLink href={`/${slug}/groups/import`} className={cn(buttonLook(), "max-sm:hidden")}>
              <Upload aria-hidden />
              Import
            </PageLink>
            <PageLink
              href={`/${slug}/groups/new`}
              aria-keyshortcuts="n"
              className={buttonLook({ variant: isBare ? "secondary" : "primary" })}
            >
              <Plus aria-hidden />
              Create group
              <span
                aria-hidden
                className={cn(
                  "max-sm:hidden pointer-coarse:hidden",
                  !isBare && "[&_kbd]:border-transparent [&_kbd]:bg-white/16 [&_kbd]:text-white",
                )}
              >
                <Kbd>N</Kbd>
              </span>
            </PageLink>
          </div>
        )
      }
    />
  );
}

/** How many groups there are, however the list is narrowed. */
function Total({ total, isFiltered, isEmpty }: Omit<GroupsHeaderProps, "isBare">) {
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const all = summary ? { count: summary.total, exact: summary.counts_are_exact } : isFiltered ? undefined : total;
  if (!all) return <span className="invisible">0</span>;
  return !(isEmpty && !isFiltered) && totalOf(all);
}

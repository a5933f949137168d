"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, Plus, Upload } from "lucide-react";
import { type ComponentProps, useEffect, useState } from "react";
import { totalOf } from "@/components/count";
import { Failure } from "@/components/failure";
import { readColumns, useColumns } from "@/components/groups/columns";
import { GroupTable } from "@/components/groups/group-table";
import { type PageInUrl, pageBefore } from "@/components/groups/list-state";
import { ListTabs } from "@/components/groups/list-tabs";
import { ListToolbar, MoreMenu } from "@/components/groups/list-toolbar";
import { select, useSelection } from "@/components/groups/selection";
import { exactTotal, useGroupList, useMatches } from "@/components/groups/use-group-list";
import { useListState } from "@/components/groups/use-list-state";
import { useRowCopy } from "@/components/groups/use-row-copy";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { part } from "@/components/part";
import { Button, buttonLook } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { WaitingLine } from "@/components/ui/waiting-line";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useIsReader } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { type Group, type GroupPage, summaryQuery, versionOf } from "@/lib/groups/queries";
import { usageOfGroupsQuery } from "@/lib/groups/use-queries";
import { sessionQuery } from "@/lib/members/queries";

const FirstRun = part(async () => (await import("@/components/groups/first-run")).FirstRun);
const NoMatch = part(async () => (await import("@/components/groups/no-match")).NoMatch);
const BulkBar = part(async () => (await import("@/components/groups/bulk-bar")).BulkBar);
const dialogs = onDemand(() => import("@/components/groups/list-dialogs"));
const ListDialog = dialogs.part("ListDialog");

/** The open dialog, with the groups as they were when it opened. */
type OpenDialog = Pick<ComponentProps<typeof ListDialog>, "what" | "groups">;

interface GroupsPageProps {
  /** the cookie with the chosen columns, if one was sent */
  columnsCookie?: string | undefined;
}

export function GroupsPage({ columnsCookie }: GroupsPageProps) {
  const slug = useEnvironmentSlug();
  const state = useListState();
  const { data, groups, failure, isEmpty, isStale, isWaiting, refetch } = useGroupList(state);
  const { data: summary, isPending } = useQuery(summaryQuery(slug));
  const [sentColumns] = useState(() => readColumns(columnsCookie));
  const columns = useColumns(slug, sentColumns, summary);
  // Rows, and the grey ones in their place, would move if their columns arrived later.
  const rows = columns.columns || !isPending ? groups : undefined;
  const usage = useUsage(slug, data?.groups, columns.columns);
  const [selected, setSelected] = useSelection(slug);
  const [isSelecting, setSelecting] = useState(false);
  const total = data && exactTotal(data.total, summary, state);
  const matches = useMatches({ groups: isStale ? [] : data?.groups, total, selected }, state);
  const { copied, copy } = useRowCopy();
  const chosen = [...selected.values()];
  const [dialog, openDialog, closeDialog] = useOpen<OpenDialog>(dialogs);
  const isAny = chosen.length > 0;
  useEffect(() => {
    // Loaded now, in case the connection is lost before a dialog opens.
    if (isAny) dialogs.load().catch(() => undefined);
  }, [isAny]);
  const [isFirstRun, endFirstRun] = useFirstRun(data?.groups, isStale || state.isFiltered ? undefined : isEmpty);
  const isBare = (isEmpty || isFirstRun) && !state.isFiltered;
  const clear = () => {
    matches.forget();
    setSelected(new Map());
    setSelecting(false);
  };
  return (
    // As high as the panel, so that the footer is at its end.
    <div className="-mb-5 flex min-h-[calc(100dvh-68px)] flex-col">
      <GroupsHeader isBare={isBare} />
      {!isBare && (
        <>
          <ListTabs {...state} summary={summary} />
          <ListToolbar
            {...state}
            columns={columns}
            more={<MoreMenu list={state.list} onSelect={() => setSelecting((is) => !is)} />}
          />
        </>
      )}
      {failure ? (
        <div className="flex flex-col items-start gap-3">
          <Failure title="The list could not be loaded" error={failure} onRetry={refetch} />
          {/* A mangled URL fails on every retry. */}
          {state.isFiltered && <Button onClick={state.clear}>Clear filters</Button>}
        </div>
      ) : isBare ? (
        <FirstRun onDone={endFirstRun} />
      ) : isEmpty ? (
        <NoMatch list={state.list} onClear={state.clear} />
      ) : (
        <div className="@container -mx-4 -mb-px border-border border-t sm:-mx-6">
          <WaitingLine isWaiting={isWaiting} />
          <GroupTable
            isStale={isStale}
            usage={usage}
            selected={selected}
            isSelecting={isSelecting}
            copied={copied}
            groups={rows}
            columns={columns.isChosen || rows ? columns.columns : undefined}
            properties={summary?.properties}
            sort={state.list.sort}
            onSort={(sort) => void state.show({ sort })}
            onSelect={(next) => {
              if (next.size < selected.size) matches.forget();
              setSelected(next);
            }}
            actions={{
              copy: (group, what) => void copy(group, what),
              open: (group, what) => void openDialog({ what, groups: [group] }),
            }}
          />
        </div>
      )}
      <div className="pointer-events-none sticky bottom-0 z-20 -mx-4 mt-auto sm:-mx-6 wide:bottom-2 wide:mb-2">
        {isAny && (
          <BulkBar
            selected={chosen}
            matches={matches.offered}
            onSelectMatches={async () => select(slug, await matches.fetch())}
            onClear={clear}
            onAct={(what) => void openDialog({ what, groups: chosen })}
          />
        )}
        {!failure && !isEmpty && !isBare && (
          <Pagination
            page={data}
            total={total}
            from={state.from}
            // Until the next page has loaded, the cursors belong to the previous one.
            onPage={(page) => void (isStale || state.setPage(page))}
          />
        )}
      </div>
      {dialog && <ListDialog {...dialog} onClose={closeDialog} onDeleted={matches.forget} />}
    </div>
  );
}

/** The use of each group, if it is shown. */
function useUsage(slug: string, groups: Group[] | undefined, columns: string[] = []) {
  const isShown = columns.includes("used") || columns.includes("viewers");
  const teamIds = isShown ? (groups ?? []).map(({ teamId }) => teamId).sort((one, other) => one - other) : [];
  return useQuery(usageOfGroupsQuery(slug, teamIds)).data;
}

/**
 * Whether an environment's first steps show, and a function that ends them. They stay after the first group until the
 * visitor leaves them. A list that becomes empty while it is open does not start them.
 */
function useFirstRun(groups: Group[] | undefined, isEmpty: boolean | undefined): [boolean, () => void] {
  const [isFirstRun, setFirstRun] = useState<boolean>();
  if (isFirstRun === undefined && groups && isEmpty !== undefined) setFirstRun(isEmpty);
  const [isBegun, setBegun] = useState(false);
  if (isFirstRun && !isBegun && groups && groups.length > 0) {
    setBegun(true);
    // A restored group, which appears with a later version, does not count as the first.
    if (groups.some(({ etag }) => versionOf(etag) > 1)) setFirstRun(false);
  }
  return [isFirstRun === true, () => setFirstRun(false)];
}

/** @param isBare the first steps show: they have the primary button */
function GroupsHeader({ isBare }: { isBare: boolean }) {
  const slug = useEnvironmentSlug();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const isReader = useIsReader();
  return (
    <PageHeader
      title="User groups"
      screen="Groups"
      note={<Total />}
      actions={
        // Laid out before the member's role is known, so that nothing moves.
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

/** The number of all groups, regardless of filters. */
function Total() {
  const { data } = useQuery(summaryQuery(useEnvironmentSlug()));
  if (!data) return <span className="invisible">0</span>;
  return data.total > 0 && totalOf({ count: data.total, exact: data.counts_are_exact });
}

interface PaginationProps {
  /** undefined while loading, when only space is reserved */
  page: GroupPage | undefined;
  total: GroupPage["total"] | undefined;
  /** the place of the first group shown, counted from 1 */
  from: number;
  onPage: (page: PageInUrl) => void;
}

/** The list's foot: previous and next only, as page numbers would shift while the list changes. */
function Pagination({ page, total, from, onPage }: PaginationProps) {
  const { previousCursor: previous = null, nextCursor: next = null } = page ?? {};
  const shown = page?.groups.length ?? 0;
  // Without a previous cursor this is the first page, whatever the URL says.
  const first = previous === null ? 1 : Math.max(from, 2);
  const last = first + shown - 1;
  // An estimate can be lower than the last place shown.
  const all = total && !total.exact ? { ...total, count: Math.max(total.count, last) } : total;
  const turn = (to: PageInUrl) => {
    onPage(to);
    window.scrollTo({ top: 0 });
  };
  return (
    <div
      className={cn(
        "pointer-events-auto flex min-h-11 items-center",
        "border-border border-t bg-surface px-4 sm:px-6 wide:rounded-b-xl",
      )}
    >
      {page && all && (
        <nav aria-label="List pages" className="flex flex-1 items-center justify-between gap-4">
          <p className="text-text-muted tabular-nums">
            {shown > 0 && `${first.toLocaleString("en")}–${last.toLocaleString("en")} of ${totalOf(all)}`}
          </p>
          <div className="flex gap-3">
            <Button
              icon={ChevronLeft}
              size="small"
              aria-disabled={!previous}
              onClick={() => previous && turn(pageBefore(previous, first))}
            >
              Prev
            </Button>
            <Button
              size="small"
              aria-disabled={!next}
              onClick={() => next && turn({ cursor: next, back: false, from: last + 1 })}
            >
              Next
              <ChevronRight aria-hidden />
            </Button>
          </div>
        </nav>
      )}
    </div>
  );
}

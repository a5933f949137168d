"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { totalOf } from "@/components/count";
import { Failure, toastFailure, withFailureToast } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import type { BulkAction } from "@/components/groups/bulk-bar";
import { readColumns, useColumns } from "@/components/groups/columns";
import { copyTokens } from "@/components/groups/copy-tokens";
import { GroupTable } from "@/components/groups/group-table";
import { viewOf } from "@/components/groups/list-state";
import { ListTabs } from "@/components/groups/list-tabs";
import { ListToolbar } from "@/components/groups/list-toolbar";
import { MoreMenu } from "@/components/groups/more-menu";
import { Pagination } from "@/components/groups/pagination";
import { type SelectedGroups, select, useSelection } from "@/components/groups/selection";
import { useListState } from "@/components/groups/use-list-state";
import { useRowCopy } from "@/components/groups/use-row-copy";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { part } from "@/components/part";
import { announce } from "@/components/ui/announcer";
import { Button, buttonLook } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import { onDemand, together } from "@/components/ui/on-demand";
import { toast } from "@/components/ui/toast";
import { WaitingLine } from "@/components/ui/waiting-line";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { ApiError } from "@/lib/browser/api-client";
import { cn } from "@/lib/browser/class-name";
import { fetchMatches, type Group, type GroupPage, groupListQuery, summaryQuery } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import type { GroupState } from "@/lib/groups/state-queries";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";
import { checksOfGroupsQuery } from "@/lib/groups/use-queries";
import { sessionQuery } from "@/lib/members/queries";

const dialog = onDemand(() => import("@/components/groups/delete-groups"));
const DeleteGroups = dialog.part("DeleteGroups");
const stateDialog = onDemand(() => import("@/components/groups/change-state"));
const ChangeState = stateDialog.part("ChangeState");
const FirstRun = part(async () => (await import("@/components/groups/first-run")).FirstRun);
const NoMatch = part(async () => (await import("@/components/groups/no-match")).NoMatch);
const BulkBar = part(async () => (await import("@/components/groups/bulk-bar")).BulkBar);
const bulk = onDemand(() => import("@/components/groups/bulk-dialogs"));
const rotation = onDemand(() => import("@/components/groups/rotate-groups"));
const RotateGroups = rotation.part("RotateGroups");
const bulkDialogs = together(bulk, rotation);
const ChangeProperty = bulk.part("ChangeProperty");
const SuspendGroups = bulk.part("SuspendGroups");
const CopyTokens = bulk.part("CopyTokens");

interface GroupsPageProps {
  /** the cookie with the chosen columns, if one was sent */
  columnsCookie?: string | undefined;
}

export function GroupsPage({ columnsCookie }: GroupsPageProps) {
  const slug = useEnvironmentSlug();
  const state = useListState();
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(groupListQuery(slug, state.list));
  const { data: summary } = useQuery(summaryQuery(slug));
  const [sentColumns] = useState(() => readColumns(columnsCookie));
  const columns = useColumns(slug, sentColumns, data?.groups);
  const checks = useChecks(slug, data?.groups, columns.columns);
  const [selected, setSelected] = useSelection(slug);
  const [isSelecting, setSelecting] = useState(false);
  const total = data && exactTotal(data.total, summary, state);
  const matches = useMatches(data?.groups, total, selected, state);
  const { copied, copy } = useRowCopy();
  // Here: the dialog stays open when its row moves to another page.
  const [deleting, setDeleting] = useState<GroupReference[]>();
  const ask = async (groups: GroupReference[]) => (await dialog.loadOrTell()) && setDeleting(groups);
  const [change, setChange] = useState<{ group: GroupReference; to: GroupState }>();
  const askToChange = async (group: GroupReference, to: GroupState) =>
    (await stateDialog.loadOrTell()) && setChange({ group, to });
  const many = useBulk([...selected.values()], ask);
  const canWrite = useCanWrite();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const isNone = data?.groups.length === 0 && !isPlaceholderData;
  const isEmpty = isNone && !state.list.cursor;
  const isPageGone = isNone && state.list.cursor !== "";
  const isCursorStale = error !== null && isAboutFields(error, ["cursor"]);
  // Stays for the steps after the first group, until the visitor leaves it; a list that was emptied here does not begin
  // one.
  const [isFirstRun, setFirstRun] = useState<boolean>();
  const [openedAt] = useState(() => Date.now());
  if (isFirstRun === undefined && data && !isPlaceholderData && !state.isFiltered) setFirstRun(isEmpty);
  // A restored group is not a first one.
  if (isFirstRun && data?.groups.some(({ createdAt }) => Date.parse(createdAt) < openedAt)) setFirstRun(false);
  const isBare = (isEmpty || isFirstRun === true) && !state.isFiltered;
  const { goToFirst } = state;
  // Its last group was deleted or moved, or the cursor is mangled or from another sort order.
  useEffect(() => {
    if (isPageGone || isCursorStale) void goToFirst();
  });
  useAnnouncement(isPlaceholderData ? undefined : data, state);
  const clear = () => {
    matches.forget();
    setSelected(new Map());
    setSelecting(false);
  };
  const isListShown = !(error && !data && !isCursorStale) && !isEmpty && !isBare;
  return (
    // As high as the panel, with the footer at its end.
    <div className="-mb-5 flex min-h-[calc(100dvh-68px)] flex-col">
      <PageHeader
        title="User groups"
        screen="Groups"
        note={<Total data={data} summary={summary} isFiltered={state.isFiltered} isEmpty={isEmpty} />}
        actions={
          // Laid out before it is known who reads, so that nothing moves.
          (canWrite || !isMemberKnown) && (
            <div className={cn("flex flex-wrap items-center gap-2", !isMemberKnown && "invisible")}>
              <PageLink href={`/${slug}/groups/import`} className={cn(buttonLook(), "max-sm:hidden")}>
                <Upload aria-hidden />
                Import
              </PageLink>
              <PageLink
                href={`/${slug}/groups/new`}
                aria-keyshortcuts="n"
                // The first step below is the primary one then.
                className={buttonLook({ variant: isBare ? "secondary" : "primary" })}
              >
                <Plus aria-hidden />
                New group
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
      {!isBare && <ListTabs {...state} summary={summary} />}
      {!isBare && (
        <ListToolbar
          {...state}
          columns={columns}
          more={<MoreMenu list={state.list} onSelect={() => setSelecting((is) => !is)} />}
        />
      )}
      {error && !data && !isCursorStale ? (
        <ListFailure error={error} onRetry={() => void refetch()} onClear={state.clear} />
      ) : isBare ? (
        <FirstRun onDone={() => setFirstRun(false)} />
      ) : isEmpty ? (
        <NoMatch list={state.list} onClear={state.clear} />
      ) : (
        <div className="@container -mx-4 border-border border-t sm:-mx-6">
          <WaitingLine isWaiting={isFetching && (isPlaceholderData || !data)} />
          <GroupTable
            groups={isPageGone ? undefined : data?.groups}
            isStale={isPlaceholderData}
            columns={columns.columns}
            properties={summary?.properties}
            checks={checks}
            sort={state.list.sort}
            onSort={state.setSort}
            selected={selected}
            onSelect={(next) => {
              if (next.size < selected.size) matches.forget();
              setSelected(next);
            }}
            isSelecting={isSelecting}
            copied={copied}
            actions={{
              copy: (group, what) => void copy(group, what),
              remove: (group) => void ask([group]),
              setState: (group, to) => void askToChange(group, to),
            }}
          />
        </div>
      )}
      <div className="pointer-events-none sticky bottom-0 z-20 -mx-4 mt-auto sm:-mx-6 wide:bottom-2 wide:mb-2">
        {selected.size > 0 && (
          <BulkBar
            selected={[...selected.values()]}
            matches={matches.offered}
            onSelectMatches={async () => select(slug, await matches.fetch())}
            onClear={clear}
            onAct={many.start}
          />
        )}
        {isListShown && (
          <div className="pointer-events-auto flex min-h-11 items-center border-border border-t bg-surface px-4 sm:px-6 wide:rounded-b-xl">
            {data && total && (
              <Pagination
                shown={data.groups.length}
                from={state.from}
                total={total}
                previous={data.previousCursor}
                next={data.nextCursor}
                onPage={state.setPage}
              />
            )}
          </div>
        )}
      </div>
      {deleting && (
        <DeleteGroups
          groups={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={matches.forget}
          onSuspend={
            isSuspendable(deleting, data?.groups)
              ? () => {
                  setDeleting(undefined);
                  for (const group of deleting) void askToChange(group, "suspended");
                }
              : undefined
          }
        />
      )}
      {change && <ChangeState {...change} onClose={() => setChange(undefined)} />}
      {many.open === "property" && <ChangeProperty groups={many.groups} onClose={many.close} />}
      {many.open === "suspend" && <SuspendGroups groups={many.groups} onClose={many.close} />}
      {many.open === "rotate" && <RotateGroups groups={many.groups} onClose={many.close} onCopy={many.copy} />}
      {many.open === "tokens" && <CopyTokens groups={many.groups} onClose={many.close} />}
    </div>
  );
}

/** Checks by group, if they are shown. */
function useChecks(slug: string, groups: Group[] | undefined, columns: string[] | undefined) {
  const isShown = columns?.includes("used") ?? false;
  const teamIds = isShown ? (groups ?? []).map(({ teamId }) => teamId).sort((one, other) => one - other) : [];
  return useQuery(checksOfGroupsQuery(slug, teamIds)).data;
}

/** Actions on all that is selected; a small and harmless one needs no dialog. */
function useBulk(selected: GroupReference[], onDelete: (groups: GroupReference[]) => unknown) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const [open, setOpen] = useState<Exclude<BulkAction, "delete">>();
  // As they were when it was opened.
  const [groups, setGroups] = useState<GroupReference[]>([]);
  const isAny = selected.length > 0;
  useEffect(() => {
    // Before the connection may be lost.
    if (isAny) bulkDialogs.load().catch(() => undefined);
  }, [isAny]);
  const copyNow = () => {
    const options = { signal: new AbortController().signal, onProgress: () => {} };
    return withFailureToast("Nothing was copied", () => copyTokens(slug, selected, options));
  };
  return {
    open,
    groups,
    close: () => setOpen(undefined),
    copy: (rotated: GroupReference[]) => {
      setGroups(rotated);
      setOpen("tokens");
    },
    start: async (action: BulkAction) => {
      if (action === "delete") return void onDelete(selected);
      if (!(await bulkDialogs.loadOrTell())) return;
      if (action === "tokens" && environment?.tag === "Testing" && selected.length <= COPIED_UNASKED) return copyNow();
      setGroups(selected);
      setOpen(action);
    },
  };
}

/** More tokens take a while, and are copied by a dialog with its progress. */
const COPIED_UNASKED = 20;

interface TotalProps {
  data: GroupPage | undefined;
  summary: SummaryAnswer | undefined;
  isFiltered: boolean;
  isEmpty: boolean;
}

/** How many groups there are, however the list is narrowed. */
function Total({ data, summary, isFiltered, isEmpty }: TotalProps) {
  const total = summary
    ? { count: summary.total, exact: summary.counts_are_exact }
    : !isFiltered && data
      ? data.total
      : undefined;
  if (!total) return <span className="invisible">0</span>;
  return !(isEmpty && !isFiltered) && totalOf(total);
}

/** A list's total; where it is an estimate, the summary may have counted the same groups. */
function exactTotal(
  total: GroupPage["total"],
  summary: SummaryAnswer | undefined,
  { list }: State,
): GroupPage["total"] {
  const view = viewOf(list);
  const isNarrowed = list.search !== "" || list.filters.length > 0;
  if (total.exact || !view || !summary?.counts_are_exact || isNarrowed) return total;
  return { count: view.key === "all" ? summary.total : summary.states[view.key], exact: true };
}

/** Whether what is to be deleted is one group, and not suspended as far as the page of the list tells. */
function isSuspendable([first, ...others]: GroupReference[], listed: Group[] = []): boolean {
  return others.length === 0 && listed.find(({ teamId }) => teamId === first?.teamId)?.state !== "suspended";
}

type State = ReturnType<typeof useListState>;

/** Offers to select all matches once the whole page is selected. */
function useMatches(
  groups: Group[] = [],
  total: GroupPage["total"] | undefined,
  selected: SelectedGroups,
  { list }: State,
) {
  const slug = useEnvironmentSlug();
  const question = JSON.stringify([slug, list.search, list.filters, list.state, list.used]);
  const [selectedOf, setSelectedOf] = useState("");
  // Ignores answers to an earlier query, and any that arrive after a deselection.
  const asking = useRef(0);
  useEffect(() => {
    if (question) asking.current++;
  }, [question]);
  const isPageSelected = groups.length > 0 && groups.every(({ teamId }) => selected.has(teamId));
  const isOffered = total && total.count > groups.length && isPageSelected && selectedOf !== question;
  return {
    offered: isOffered ? total : undefined,
    fetch: async (): Promise<GroupReference[]> => {
      const turn = ++asking.current;
      try {
        const found = await fetchMatches(slug, list);
        if (turn !== asking.current) return [];
        if (found) setSelectedOf(question);
        else toast({ title: "Too many matches to select: narrow the list" });
        return found ?? [];
      } catch (error) {
        toastFailure("Nothing was selected", error);
        return [];
      }
    },
    forget: () => {
      asking.current++;
      setSelectedOf("");
    },
  };
}

/** Announces the result of a search, a filter or a page turn. */
function useAnnouncement(data: GroupPage | undefined, { list, isFiltered }: State) {
  const question = JSON.stringify(list);
  const last = useRef(question);
  useEffect(() => {
    if (!data || last.current === question) return;
    last.current = question;
    announce(sizeOf(data, isFiltered, list.cursor !== ""));
  }, [data, question, isFiltered, list]);
}

function sizeOf({ groups, total }: GroupPage, isFiltered: boolean, isFurther: boolean): string {
  if (groups.length === 0) return isFiltered ? "No user group matches" : "No user groups";
  const noun = total.count === 1 ? "user group" : "user groups";
  const verb = total.count === 1 ? " matches" : " match";
  return `${isFurther ? `${groups.length} of ` : ""}${totalOf(total)} ${noun}${isFiltered ? verb : ""}`;
}

interface ListFailureProps {
  error: Error;
  onRetry: () => void;
  onClear: () => void;
}

/** A mangled URL fails on every retry, so this offers to clear the filters. */
function ListFailure({ error, onRetry, onClear }: ListFailureProps) {
  const title = "The list could not be loaded";
  if (!(error instanceof ApiError) || error.code !== "invalid_fields") {
    return <Failure title={title} error={error} onRetry={onRetry} />;
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <Failure title={title} error={error} />
      <Button onClick={onClear}>Clear filters</Button>
    </div>
  );
}

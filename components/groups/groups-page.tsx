"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2, Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { totalOf } from "@/components/count";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure, toastFailure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import { BulkBar } from "@/components/groups/bulk-bar";
import { FirstRun } from "@/components/groups/first-run";
import { GroupTable } from "@/components/groups/group-table";
import { ListToolbar } from "@/components/groups/list-toolbar";
import { NoMatch } from "@/components/groups/no-match";
import { Pagination } from "@/components/groups/pagination";
import { type Selection, select, useSelection } from "@/components/groups/selection";
import { useListState } from "@/components/groups/use-list-state";
import { useCanWrite } from "@/components/members/use-member";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { announce } from "@/components/ui/announcer";
import { Button, buttonLook } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { toast } from "@/components/ui/toast";
import { ApiError } from "@/lib/browser/api-client";
import { cn } from "@/lib/browser/class-name";
import { fetchMatches, type Group, type GroupPage, groupListQuery } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import type { GroupState } from "@/lib/groups/state-queries";
import { sessionQuery } from "@/lib/members/queries";

const dialog = onDemand(() => import("@/components/groups/delete-groups"));
const DeleteGroups = dialog.part("DeleteGroups");
const stateDialog = onDemand(() => import("@/components/groups/change-state"));
const ChangeState = stateDialog.part("ChangeState");

export function GroupsPage() {
  const slug = useEnvironmentSlug();
  const state = useListState();
  const { data, error, isPlaceholderData, refetch } = useQuery(groupListQuery(slug, state.list));
  const [selected, setSelected] = useSelection(slug);
  const matches = useMatches(data, selected, state);
  // Here: the dialog stays open when its row moves to another page.
  const [deleting, setDeleting] = useState<GroupReference[]>();
  const ask = async (groups: GroupReference[]) => (await dialog.loadOrTell()) && setDeleting(groups);
  const [change, setChange] = useState<{ group: GroupReference; to: GroupState }>();
  const askToChange = async (group: GroupReference, to: GroupState) =>
    (await stateDialog.loadOrTell()) && setChange({ group, to });
  const canWrite = useCanWrite();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const isNone = data?.groups.length === 0 && !isPlaceholderData;
  const isEmpty = isNone && !state.list.cursor;
  const isPageGone = isNone && state.list.cursor !== "";
  const isCursorStale = error !== null && isAboutFields(error, ["cursor"]);
  // Stays for the steps after the first group, until the visitor leaves it; a list that was emptied here does not begin one.
  const [isFirstRun, setFirstRun] = useState<boolean>();
  const [openedAt] = useState(() => Date.now());
  if (isFirstRun === undefined && data && !isPlaceholderData && !state.isFiltered) setFirstRun(isEmpty);
  // A restored group is not a first one.
  if (isFirstRun && data?.groups.some(({ createdAt }) => Date.parse(createdAt) < openedAt)) setFirstRun(false);
  const { goToFirst } = state;
  // Its last group was deleted or moved, or the cursor is mangled or from another sort order.
  useEffect(() => {
    if (isPageGone || isCursorStale) void goToFirst();
  });
  useAnnouncement(isPlaceholderData ? undefined : data, state);
  return (
    <>
      <PageHeader
        title="User groups"
        screen="Groups"
        note={data ? !isEmpty && totalOf(data.total) : <span className="invisible">0</span>}
        actions={
          // Laid out before it is known who reads, so that nothing moves.
          <div className={cn("flex flex-wrap items-center gap-2", !isMemberKnown && "invisible")}>
            <PageLink href={`/${slug}/groups/deleted`} className={buttonLook()}>
              <Trash2 aria-hidden />
              Recently deleted
            </PageLink>
            {(canWrite || !isMemberKnown) && (
              <>
                <PageLink href={`/${slug}/groups/import`} className={buttonLook()}>
                  <Upload aria-hidden />
                  Import
                </PageLink>
                <PageLink href={`/${slug}/groups/new`} className={buttonLook({ variant: "primary" })}>
                  <Plus aria-hidden />
                  New user group
                </PageLink>
              </>
            )}
          </div>
        }
      />
      {!((isEmpty || isFirstRun) && !state.isFiltered) && <ListToolbar {...state} />}
      {error && !data && !isCursorStale ? (
        <ListFailure error={error} onRetry={() => void refetch()} onClear={state.clear} />
      ) : (isEmpty || isFirstRun) && !state.isFiltered ? (
        <FirstRun onDone={() => setFirstRun(false)} />
      ) : isEmpty ? (
        <NoMatch search={state.list.search} onClear={state.clear} />
      ) : (
        <>
          <GroupTable
            groups={isPageGone ? undefined : data?.groups}
            isStale={isPlaceholderData}
            sort={state.list.sort}
            onSort={state.setSort}
            selected={selected}
            onSelect={(next) => {
              if (next.size < selected.size) matches.forget();
              setSelected(next);
            }}
            onDelete={(group) => void ask([group])}
            onState={(group, to) => void askToChange(group, to)}
          />
          {data && (
            <Pagination
              shown={data.groups.length}
              total={data.total}
              previous={data.previousCursor}
              next={data.nextCursor}
              onCursor={state.setCursor}
            />
          )}
        </>
      )}
      <BulkBar
        selected={[...selected.values()]}
        matches={matches.offered}
        onSelectMatches={async () => select(slug, await matches.fetch())}
        onClear={() => {
          matches.forget();
          setSelected(new Map());
        }}
        onDelete={() => void ask([...selected.values()])}
      />
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
    </>
  );
}

/** Whether what is to be deleted is one group, and not suspended as far as the page of the list tells. */
function isSuspendable([first, ...others]: GroupReference[], listed: Group[] = []): boolean {
  return others.length === 0 && listed.find(({ teamId }) => teamId === first?.teamId)?.state !== "suspended";
}

type State = ReturnType<typeof useListState>;

/** Offers to select all matches once the whole page is selected. */
function useMatches(data: GroupPage | undefined, selected: Selection, { list }: State) {
  const slug = useEnvironmentSlug();
  const question = JSON.stringify([slug, list.search, list.filters, list.state, list.used]);
  const [selectedOf, setSelectedOf] = useState("");
  // Ignores answers to an earlier query, and any that arrive after a deselection.
  const asking = useRef(0);
  useEffect(() => {
    if (question) asking.current++;
  }, [question]);
  const { groups = [], total } = data ?? {};
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

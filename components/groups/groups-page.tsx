"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus, Upload } from "lucide-react";
import { useEffect, useState } from "react";
import { totalOf } from "@/components/count";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { BulkBar } from "@/components/groups/bulk-bar";
import { GroupTable } from "@/components/groups/group-table";
import { ListToolbar } from "@/components/groups/list-toolbar";
import { NoGroups, NoMatch } from "@/components/groups/no-groups";
import { Pagination } from "@/components/groups/pagination";
import { useListState } from "@/components/groups/use-list-state";
import { useCanWrite } from "@/components/members/use-member";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { ApiError } from "@/lib/api-client";
import { groupListQuery } from "@/lib/groups/queries";
import type { GroupSummary } from "@/lib/groups/schema";
import { sessionQuery } from "@/lib/members/queries";

const dialog = onDemand(() => import("@/components/groups/delete-groups"));
const DeleteGroups = dialog.part("DeleteGroups");

/** The list of user groups. */
export function GroupsPage() {
  const slug = useEnvironmentSlug();
  const state = useListState();
  const { data, error, isPlaceholderData, refetch } = useQuery(groupListQuery(slug, state.list));
  const [selected, setSelected] = useState<ReadonlyMap<number, GroupSummary>>(new Map());
  // Here, as the dialog stays when the row that opened it moves to another page.
  const [deleting, setDeleting] = useState<GroupSummary[]>();
  const ask = async (groups: GroupSummary[]) => (await dialog.loadOrTell()) && setDeleting(groups);
  const canWrite = useCanWrite();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const isNone = data?.groups.length === 0 && !isPlaceholderData;
  const isEmpty = isNone && !state.list.cursor;
  const isPageGone = isNone && state.list.cursor !== "";
  const { goToFirst } = state;
  // Its last group was deleted, or moved to another page.
  useEffect(() => {
    if (isPageGone) void goToFirst();
  });
  return (
    <>
      <PageHeader
        title="User groups"
        note={data ? !isEmpty && totalOf(data.total) : <span className="invisible">0</span>}
        actions={
          !isMemberKnown ? (
            <Skeleton className="h-control w-62" />
          ) : (
            canWrite && (
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
            )
          )
        }
      />
      <ListToolbar {...state} />
      {error && !data ? (
        <ListFailure error={error} onRetry={() => void refetch()} onClear={state.clear} />
      ) : isEmpty ? (
        state.isFiltered ? (
          <NoMatch search={state.list.search} onClear={state.clear} />
        ) : (
          <NoGroups />
        )
      ) : (
        <>
          <GroupTable
            groups={isPageGone ? undefined : data?.groups}
            isStale={isPlaceholderData}
            sort={state.list.sort}
            onSort={state.setSort}
            selected={selected}
            onSelect={setSelected}
            onDelete={(group) => void ask([group])}
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
        onClear={() => setSelected(new Map())}
        onDelete={() => void ask([...selected.values()])}
      />
      {deleting && (
        <DeleteGroups
          groups={deleting}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => setSelected(without(selected, deleting))}
        />
      )}
    </>
  );
}

function without(selected: ReadonlyMap<number, GroupSummary>, deleted: GroupSummary[]) {
  const gone = new Set(deleted.map(({ teamId }) => teamId));
  return new Map([...selected].filter(([teamId]) => !gone.has(teamId)));
}

interface ListFailureProps {
  error: Error;
  onRetry: () => void;
  onClear: () => void;
}

/** An address that was mangled on its way stays wrong however often it is tried. */
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

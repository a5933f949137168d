"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
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
import { buttonLook } from "@/components/ui/button";
import { groupListQuery } from "@/lib/groups/queries";
import type { GroupSummary } from "@/lib/groups/schema";

/** The list of user groups. */
export function GroupsPage() {
  const slug = useEnvironmentSlug();
  const state = useListState();
  const { data, error, isPlaceholderData, refetch } = useQuery(groupListQuery(slug, state.list));
  const [selected, setSelected] = useState<ReadonlyMap<number, GroupSummary>>(new Map());
  const canWrite = useCanWrite();
  const isEmpty = data?.groups.length === 0 && !state.list.cursor;
  return (
    <>
      <PageHeader
        title="User groups"
        note={data && !isEmpty && countOf(data.total)}
        actions={
          canWrite && (
            <Link href={`/${slug}/groups/new`} className={buttonLook({ variant: "primary" })}>
              <Plus aria-hidden />
              New user group
            </Link>
          )
        }
      />
      <ListToolbar {...state} />
      {error && !data ? (
        <Failure title="The list could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : isEmpty && !isPlaceholderData ? (
        state.isFiltered ? (
          <NoMatch onClear={state.clear} />
        ) : (
          <NoGroups />
        )
      ) : (
        <>
          <GroupTable
            groups={data?.groups}
            isStale={isPlaceholderData}
            sort={state.list.sort}
            onSort={state.setSort}
            selected={selected}
            onSelect={setSelected}
          />
          <Pagination
            shown={data?.groups.length}
            total={data?.total}
            previous={data?.previousCursor}
            next={data?.nextCursor}
            onCursor={state.setCursor}
          />
        </>
      )}
      <BulkBar selected={[...selected.values()]} onClear={() => setSelected(new Map())} />
    </>
  );
}

/** "10,000+" where nobody counted on. */
export function countOf({ count, exact }: { count: number; exact: boolean }): string {
  return `${count.toLocaleString("en")}${exact ? "" : "+"}`;
}

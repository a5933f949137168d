"use client";

import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect, useState } from "react";
import type { Compared } from "@/components/comparison/compare-page";
import { ComparedGroupRow } from "@/components/comparison/compared-group-row";
import { GroupDifference } from "@/components/comparison/group-difference";
import { Failure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { Segmented } from "@/components/ui/segmented";
import { Table } from "@/components/ui/table";
import {
  type ComparedGroup,
  comparedGroupsQuery,
  comparisonKey,
  groupCountsQuery,
  type ShownKind,
} from "@/lib/comparison/queries";

const KINDS = ["all", "differing", "only_here", "only_there"] as const;
const PAGE = 50;

/** The groups that two environments do not have alike. */
export function ComparedGroups({ here, there }: Compared) {
  const client = useQueryClient();
  const [show, setShow] = useQueryState("show", parseAsStringLiteral(KINDS).withDefault("all"));
  const [shown, setShown] = useState<ComparedGroup>();
  const counts = useCounts({ here, there });
  const { groups, error, isDone, isFull, more, refetch } = useGroups({ here, there, show });
  const label = (text: string, count: number) => `${text} ${count.toLocaleString("en")}${counts.isDone ? "" : "+"}`;
  const options: { value: ShownKind; label: string }[] = [
    { value: "all", label: label("All", counts.differing + counts.only_here + counts.only_there) },
    { value: "differing", label: label("Differing", counts.differing) },
    { value: "only_here", label: label(`Only in ${here.name}`, counts.only_here) },
    { value: "only_there", label: label(`Only in ${there.name}`, counts.only_there) },
  ];
  const failure = error ?? counts.error;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented label="Groups to show" value={show} options={options} onChange={(next) => void setShow(next)} />
        <Button
          size="small"
          disabled={!counts.isDone || !(isDone || isFull)}
          onClick={() => void client.resetQueries({ queryKey: comparisonKey(here.slug) })}
        >
          Compare again
        </Button>
      </div>
      <p role="status" className="text-text-muted tabular-nums">
        {counts.isDone
          ? `${counts.same.toLocaleString("en")} ${counts.same === 1 ? "group is" : "groups are"} the same.`
          : `Comparing: ${counts.compared.toLocaleString("en")} groups so far…`}
      </p>
      {failure && <Failure title="The groups could not be compared" error={failure} onRetry={refetch} />}
      {groups.length > 0 || !isDone ? (
        <Table
          label="Groups that differ"
          columns={[
            { name: "Id" },
            { name: here.name, className: "w-[24%]" },
            { name: there.name, className: "w-[24%]" },
            { name: "Difference", className: "w-[26%]" },
          ]}
          hasActions={false}
          rows={
            groups.length === 0 && !isDone
              ? undefined
              : groups.map((group) => (
                  <ComparedGroupRow
                    key={group.providedId}
                    group={group}
                    here={here}
                    there={there}
                    onShow={() => setShown(group)}
                  />
                ))
          }
        />
      ) : (
        !failure && <p className="text-text-secondary">{show === "all" ? "No group differs." : "No such group."}</p>
      )}
      {isFull && !isDone && (
        <div>
          <Button onClick={more}>Show more</Button>
        </div>
      )}
      {shown && <GroupDifference group={shown} here={here} there={there} onClose={() => setShown(undefined)} />}
    </div>
  );
}

/** Counts on until all are counted. */
function useCounts({ here, there }: Compared) {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(
    groupCountsQuery(here.slug, there.slug),
  );
  const isReady = hasNextPage && !isFetching && !error;
  useEffect(() => {
    if (isReady) void fetchNextPage();
  }, [isReady, fetchNextPage]);
  const sum = (kind: "same" | "only_here" | "only_there" | "differing") =>
    data?.pages.reduce((total, page) => total + page[kind], 0) ?? 0;
  const counts = {
    same: sum("same"),
    only_here: sum("only_here"),
    only_there: sum("only_there"),
    differing: sum("differing"),
  };
  const compared = Object.values(counts).reduce((total, count) => total + count, 0);
  return { ...counts, compared, error, isDone: data !== undefined && !hasNextPage };
}

/** Reads on until a page is full: far apart, differences take several answers. */
function useGroups({ here, there, show }: Compared & { show: ShownKind }) {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery(
    comparedGroupsQuery(here.slug, there.slug, show),
  );
  const [wanted, setWanted] = useState({ show, groups: PAGE });
  const most = wanted.show === show ? wanted.groups : PAGE;
  const groups = data?.pages.flatMap((page) => page.groups) ?? [];
  const isFull = groups.length >= most;
  const isReady = hasNextPage && !isFetching && !error && !isFull;
  useEffect(() => {
    if (isReady) void fetchNextPage();
  }, [isReady, fetchNextPage]);
  return {
    groups: groups.slice(0, most),
    error,
    isDone: data !== undefined && !hasNextPage && !(groups.length > most),
    isFull,
    more: () => setWanted({ show, groups: most + PAGE }),
    refetch: () => void (hasNextPage ? fetchNextPage() : refetch()),
  };
}

import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { GET } from "@/app/api/admin/groups/route";
import { GroupsPage } from "@/components/groups/groups-page";
import { listStateOf, loadListParameters } from "@/components/groups/list-state";
import { groupListParameters, groupListQuery } from "@/lib/groups/queries";
import { askAhead } from "@/lib/http/ahead";

export const metadata: Metadata = { title: "Groups" };

export default async function Page({ params, searchParams }: PageProps<"/[environment]/groups">) {
  const { environment } = await params;
  const list = listStateOf(await loadListParameters(searchParams));
  const { queryKey } = groupListQuery(environment, list);
  const groups = await askAhead({ queryKey, get: GET, environment, query: groupListParameters(list) });
  return (
    <HydrationBoundary state={groups}>
      <GroupsPage />
    </HydrationBoundary>
  );
}

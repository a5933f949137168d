import { GroupsPage } from "@/components/groups/groups-page";
import { listStateOf, loadListParameters } from "@/components/groups/list-state";
import { Prefetched } from "@/components/prefetched";
import { prefetch } from "@/lib/endpoint/prefetch";
import { groupListParameters, groupListQuery } from "@/lib/groups/queries";

interface PageProps {
  params: Promise<{ environment: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ params, searchParams }: PageProps) {
  const { environment } = await params;
  const list = listStateOf(await loadListParameters(searchParams));
  const answer = await prefetch({ path: "/api/admin/groups", environment, query: groupListParameters(list) });
  return (
    <Prefetched queryKey={groupListQuery(environment, list).queryKey} answer={answer}>
      <GroupsPage />
    </Prefetched>
  );
}

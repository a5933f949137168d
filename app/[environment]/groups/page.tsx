import { GroupsPage } from "@/components/groups/groups-page";
import { listStateOf, loadListParameters } from "@/components/groups/list-state";
import { Prefetched } from "@/components/prefetched";
import { prefetch } from "@/lib/endpoint/prefetch";
import { groupListParameters, groupListQuery, readListAhead } from "@/lib/groups/queries";

interface PageProps {
  params: Promise<{ environment: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ params, searchParams }: PageProps) {
  const { environment } = await params;
  const list = listStateOf(await loadListParameters(searchParams));
  const query = groupListParameters(list);
  const answer = await prefetch({ path: "/api/user-groups", environment, query, read: readListAhead });
  return (
    <Prefetched queryKey={groupListQuery(environment, list).queryKey} answer={answer}>
      <GroupsPage />
    </Prefetched>
  );
}

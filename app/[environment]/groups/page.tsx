import { cookies } from "next/headers";
import { GroupsPage } from "@/components/groups/groups-page";
import { listStateOf, loadListParameters } from "@/components/groups/list-state";
import { Prefetched } from "@/components/prefetched";
import { prefetch } from "@/lib/endpoint/prefetch";
import { groupListParameters, groupListQuery, readPrefetchedList, summaryQuery } from "@/lib/groups/queries";

interface PageProps {
  params: Promise<{ environment: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function Page({ params, searchParams }: PageProps) {
  const { environment } = await params;
  const list = listStateOf(await loadListParameters(searchParams));
  const query = groupListParameters(list);
  const [answer, summary] = await Promise.all([
    prefetch({ path: "/api/user-groups", environment, query, read: readPrefetchedList }),
    prefetch({ path: "/api/user-groups/summary", environment }),
  ]);
  const columns = (await cookies()).get("columns")?.value;
  return (
    <Prefetched queryKey={groupListQuery(environment, list).queryKey} answer={answer}>
      <Prefetched queryKey={summaryQuery(environment).queryKey} answer={summary}>
        <GroupsPage columnsCookie={columns} />
      </Prefetched>
    </Prefetched>
  );
}

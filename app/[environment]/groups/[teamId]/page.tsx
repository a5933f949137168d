import { GroupPage } from "@/components/groups/group-page";
import { Prefetched } from "@/components/prefetched";
import { definitionsQuery, readAnsweredDefinitions } from "@/lib/definitions/queries";
import { prefetch } from "@/lib/endpoint/prefetch";
import { groupQuery, readOneGroup } from "@/lib/groups/queries";

export default async function Page({ params }: { params: Promise<{ environment: string; teamId: string }> }) {
  const { environment, teamId } = await params;
  const query = { team_id: teamId };
  const [answer, definitions] = await Promise.all([
    prefetch({ path: "/api/user-groups", environment, query, read: readOneGroup }),
    prefetch({ path: "/api/definitions", environment, read: readAnsweredDefinitions }),
  ]);
  return (
    <Prefetched queryKey={groupQuery(environment, teamId).queryKey} answer={answer}>
      <Prefetched queryKey={definitionsQuery(environment).queryKey} answer={definitions}>
        <GroupPage />
      </Prefetched>
    </Prefetched>
  );
}

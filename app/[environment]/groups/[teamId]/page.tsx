import { GroupPage } from "@/components/groups/group-page";
import { Prefetched } from "@/components/prefetched";
import { prefetch } from "@/lib/endpoint/prefetch";
import { groupQuery, readGroupAhead } from "@/lib/groups/queries";

interface PageProps {
  params: Promise<{ environment: string; teamId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { environment, teamId } = await params;
  const query = { team_id: teamId };
  const answer = await prefetch({ path: "/api/user-groups", environment, query, read: readGroupAhead });
  return (
    <Prefetched queryKey={groupQuery(environment, teamId).queryKey} answer={answer}>
      <GroupPage />
    </Prefetched>
  );
}

import { AnswerAhead } from "@/components/answer-ahead";
import { GroupPage } from "@/components/groups/group-page";
import { askAhead } from "@/lib/endpoint/ahead";
import { groupQuery } from "@/lib/groups/queries";

interface PageProps {
  params: Promise<{ environment: string; teamId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { environment, teamId } = await params;
  const answer = await askAhead({ path: "/api/admin/groups/[teamId]", parameters: { teamId }, environment });
  return (
    <AnswerAhead queryKey={groupQuery(environment, teamId).queryKey} answer={answer}>
      <GroupPage />
    </AnswerAhead>
  );
}

import { Breadcrumb } from "@/components/breadcrumb";
import { NewGroupPage } from "@/components/groups/new-group-page";
import { Prefetched } from "@/components/prefetched";
import { definitionsQuery, readAnsweredDefinitions } from "@/lib/definitions/queries";
import { prefetch } from "@/lib/endpoint/prefetch";

export default async function Page({ params }: { params: Promise<{ environment: string }> }) {
  const { environment } = await params;
  const answer = await prefetch({ path: "/api/definitions", environment, read: readAnsweredDefinitions });
  return (
    <Prefetched queryKey={definitionsQuery(environment).queryKey} answer={answer}>
      <Breadcrumb inGroups here="New user group" />
      <NewGroupPage />
    </Prefetched>
  );
}

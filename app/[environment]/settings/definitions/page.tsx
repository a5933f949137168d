import { Breadcrumb } from "@/components/breadcrumb";
import { DefinitionsPage } from "@/components/definitions/definitions-page";
import { Prefetched } from "@/components/prefetched";
import { definitionsQuery, readAnsweredDefinitions } from "@/lib/definitions/queries";
import { prefetch } from "@/lib/endpoint/prefetch";

export default async function Page({ params }: { params: Promise<{ environment: string }> }) {
  const { environment } = await params;
  const answer = await prefetch({ path: "/api/definitions", environment, read: readAnsweredDefinitions });
  return (
    <Prefetched queryKey={definitionsQuery(environment).queryKey} answer={answer}>
      <Breadcrumb here="Definitions" />
      <DefinitionsPage />
    </Prefetched>
  );
}

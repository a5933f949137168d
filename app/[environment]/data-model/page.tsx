import { DataModelPage } from "@/components/data-model/data-model-page";
import { Prefetched } from "@/components/prefetched";
import { definitionsQuery, findingsQuery, readAnsweredDefinitions } from "@/lib/definitions/queries";
import { prefetch } from "@/lib/endpoint/prefetch";

export default async function Page({ params }: { params: Promise<{ environment: string }> }) {
  const { environment } = await params;
  const [found, definitions] = await Promise.all([
    prefetch({ path: "/api/definitions/findings", environment }),
    prefetch({ path: "/api/definitions", environment, read: readAnsweredDefinitions }),
  ]);
  return (
    <Prefetched queryKey={findingsQuery(environment).queryKey} answer={found}>
      <Prefetched queryKey={definitionsQuery(environment).queryKey} answer={definitions}>
        <DataModelPage />
      </Prefetched>
    </Prefetched>
  );
}

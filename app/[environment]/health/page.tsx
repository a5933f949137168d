import { HealthPage } from "@/components/health/health-page";
import { Prefetched } from "@/components/prefetched";
import { findingsQuery } from "@/lib/definitions/queries";
import { prefetch } from "@/lib/endpoint/prefetch";

export default async function Page({ params }: { params: Promise<{ environment: string }> }) {
  const { environment } = await params;
  const answer = await prefetch({ path: "/api/definitions/findings", environment });
  return (
    <Prefetched queryKey={findingsQuery(environment).queryKey} answer={answer}>
      <HealthPage />
    </Prefetched>
  );
}

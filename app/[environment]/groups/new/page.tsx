import { NewGroupPage } from "@/components/groups/new-group-page";
import { Prefetched } from "@/components/prefetched";
import { definitionsQuery, readAnsweredDefinitions } from "@/lib/definitions/queries";
import { prefetch } from "@/lib/endpoint/prefetch";

interface PageProps {
  params: Promise<{ environment: string }>;
  searchParams: Promise<{ id?: string | string[]; from?: string | string[] }>;
}

export default async function Page({ params, searchParams }: PageProps) {
  const { environment } = await params;
  const { id = "", from = "" } = await searchParams;
  const answer = await prefetch({ path: "/api/definitions", environment, read: readAnsweredDefinitions });
  return (
    <Prefetched queryKey={definitionsQuery(environment).queryKey} answer={answer}>
      <NewGroupPage key={`${from} ${id}`} id={String(id)} from={String(from)} />
    </Prefetched>
  );
}

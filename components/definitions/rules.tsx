import { useQuery } from "@tanstack/react-query";
import { EditDefinitions } from "@/components/definitions/edit-definitions";
import { Failure } from "@/components/failure";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { definitionsQuery } from "@/lib/definitions/queries";

/** What every group of an environment must have. */
export function Rules() {
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(definitionsQuery(slug));
  if (data) return <EditDefinitions key={slug} stored={data} />;
  if (!error) return <Skeleton className="h-96 rounded-xl" />;
  return <Failure title="The rules could not be loaded" error={error} onRetry={() => void refetch()} />;
}

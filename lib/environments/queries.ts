import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/api-client";
import type { EnvironmentList } from "@/lib/environments/schema";

/** All environments with what they hold. */
export const environmentsQuery = (environment: string) =>
  queryOptions({
    queryKey: ["environments"],
    queryFn: ({ signal }) => callApi<EnvironmentList>("/api/admin/environments", { environment, signal }),
  });

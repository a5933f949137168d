import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import type { EnvironmentList, EnvironmentUpdate, NewEnvironment } from "@/lib/environments/schema";

const PATH = "/api/admin/environments";

/** Root query key of the environments; every change invalidates it. */
export const environmentsKey = ["environments"];

/** All environments with their contents. */
export const environmentsQuery = (environment: string) =>
  queryOptions({
    queryKey: environmentsKey,
    queryFn: ({ signal }) => callApi<EnvironmentList>(PATH, { environment, signal }),
  });

/** Creates an environment. */
export function askToCreateEnvironment(body: NewEnvironment): Promise<unknown> {
  return callApi(PATH, { method: "POST", body });
}

/** Changes an environment's name and embed template. */
export function askToUpdateEnvironment({ slug, ...body }: EnvironmentUpdate): Promise<unknown> {
  return callApi(`${PATH}/${slug}`, { method: "PATCH", body });
}

/** Deletes an empty environment. */
export function askToDeleteEnvironment(slug: string): Promise<unknown> {
  return callApi(`${PATH}/${slug}`, { method: "DELETE" });
}

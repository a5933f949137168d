import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import type { EnvironmentList, EnvironmentUpdate, NewEnvironment } from "@/lib/environments/schema";

const PATH = "/api/admin/environments";

/** Everything of the environments; invalidated as a whole by every change. */
export const environmentsKey = ["environments"];

/** All environments with what they hold. */
export const environmentsQuery = (environment: string) =>
  queryOptions({
    queryKey: environmentsKey,
    queryFn: ({ signal }) => callApi<EnvironmentList>(PATH, { environment, signal }),
  });

/**
 * Adds an environment.
 * @throws {ApiError}
 */
export function askToCreateEnvironment(body: NewEnvironment): Promise<unknown> {
  return callApi(PATH, { method: "POST", body });
}

/**
 * Changes the name and the embed template of an environment.
 * @throws {ApiError}
 */
export function askToUpdateEnvironment({ slug, ...body }: EnvironmentUpdate): Promise<unknown> {
  return callApi(`${PATH}/${slug}`, { method: "PATCH", body });
}

/**
 * Deletes an environment that holds nothing any more.
 * @throws {ApiError}
 */
export function askToDeleteEnvironment(slug: string): Promise<unknown> {
  return callApi(`${PATH}/${slug}`, { method: "DELETE" });
}

import { type Asked, authorOf } from "@/lib/auth/caller";
import { noGroup } from "@/lib/groups/group";
import { endViews, findOrigins, type Generation, type Origins, setOrigins } from "@/lib/store/views";

/**
 * Revokes all viewer tokens of a group. Its user group token stays.
 * @throws {AppError} `unknown_user_group`
 */
export async function endAllViews({ caller, input }: Asked<{ user_group_id: string }>): Promise<Generation> {
  return (await endViews(caller.environment.id, input.user_group_id, authorOf(caller))) ?? noGroup();
}

/**
 * Sets where a group's dashboards may be embedded.
 * @throws {AppError} `unknown_user_group`
 */
export async function changeOrigins({
  caller,
  input,
}: Asked<{ user_group_id: string; allowed_origins: string[] | null }>): Promise<Origins> {
  const place = { environmentId: caller.environment.id, providedId: input.user_group_id };
  return (await setOrigins(place, input.allowed_origins, authorOf(caller))) ?? noGroup();
}

/** @throws {AppError} `unknown_user_group` */
export async function readOrigins({ caller, input }: Asked<{ user_group_id: string }>): Promise<Origins> {
  return (await findOrigins(caller.environment.id, input.user_group_id)) ?? noGroup();
}

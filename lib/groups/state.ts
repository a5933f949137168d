import type { z } from "zod";
import { authorOf } from "@/lib/auth/caller";
import type { groupSuspension } from "@/lib/groups/schema";
import type { GroupCall } from "@/lib/groups/service";
import { unknownGroup } from "@/lib/groups/service";
import type { GroupRow } from "@/lib/store/group-row";
import { setState } from "@/lib/store/states";

/**
 * Suspends a group: renderers are told so, and its token stays. One that is suspended already stays as it is.
 * @throws {AppError} `unknown_user_group`
 */
export async function suspendGroup({
  caller,
  input,
}: Pick<GroupCall<z.infer<typeof groupSuspension>>, "caller" | "input">): Promise<GroupRow> {
  const { user_group_id: providedId, reason = null } = input;
  const change = { environmentId: caller.environment.id, providedId, state: "suspended", reason } as const;
  return (await setState(change, authorOf(caller))) ?? unknownGroup();
}

/**
 * Ends a suspension. A group that is active already stays as it is.
 * @throws {AppError} `unknown_user_group`
 */
export async function resumeGroup({
  caller,
  input,
}: Pick<GroupCall<{ user_group_id: string }>, "caller" | "input">): Promise<GroupRow> {
  const change = { environmentId: caller.environment.id, providedId: input.user_group_id, state: "active" } as const;
  return (await setState({ ...change, reason: null }, authorOf(caller))) ?? unknownGroup();
}

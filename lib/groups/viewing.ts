import type { Caller } from "@/lib/auth/caller";
import { tokenIndexes } from "@/lib/crypto/group-token";
import { noteUse } from "@/lib/groups/use";
import type { GroupRow } from "@/lib/store/group-row";
import { findByPrevious } from "@/lib/store/previous-token";

interface Question {
  caller: Caller;
  input: { token: string };
  /** the group with this current token, as the caller's look-up found it */
  group: GroupRow | undefined;
}

/** The group that a viewer's token identifies, current or of a running overlap; its use is noted. */
export async function identifyViewer({ caller, input, group }: Question): Promise<GroupRow | undefined> {
  return noteUse(group ?? (await findByPrevious(caller.environment.id, tokenIndexes(input.token))));
}

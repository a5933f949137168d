import { historyAnswer, historyInput } from "@/lib/audit/schema";
import { serializeEntry } from "@/lib/audit/serialize";
import { listHistory } from "@/lib/audit/service";
import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  operationId: "listUserGroupHistory",
  summary: "List what changed",
  description:
    "Returns the history of one group, or of the environment, newest first: who did what, and what it was before and " +
    "after.",
  access: withScopes("groups:read"),
  input: historyInput,
  answered: "A page of the history.",
  answer: historyAnswer,
  handle: async ({ caller: { environment, actorType }, input }) => {
    const reader = { environmentId: environment.id, isMember: actorType === "member" };
    const { rows, nextCursor } = await listHistory(reader, input);
    return json({ entries: rows.map(serializeEntry), next_cursor: nextCursor });
  },
});

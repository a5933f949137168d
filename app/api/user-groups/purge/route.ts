import { withScopes } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { purgeGroup } from "@/lib/groups/deletion";
import { doneAnswer, groupErasure } from "@/lib/groups/deletion-schema";

export const POST = endpoint({
  operationId: "purgeUserGroup",
  summary: "Erase a deleted user group for good",
  description:
    "Erases a deleted group, along with its content in the history, in imports and in its use. The history keeps " +
    "that something happened, when and by whom. Backups and logs outside the service keep what they hold. A group " +
    "that is not deleted is a conflict.",
  access: withScopes("groups:purge"),
  input: groupErasure,
  answered: "The group was erased.",
  answer: doneAnswer,
  errors: ["unknown_user_group", "conflict"],
  handle: async (request) => done(await purgeGroup(request)),
});

import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { deleteGroups } from "@/lib/groups/deletion";
import { groupSelection } from "@/lib/groups/schema";
import { serializeDeleted } from "@/lib/groups/serialize";

export const POST = endpoint({
  access: members("admin"),
  input: groupSelection,
  handle: async ({ caller, input }) =>
    json(serializeDeleted(await deleteGroups(environmentOf(caller).id, input.teamIds, memberAuthor(caller)))),
});

export const HEAD = noHead({ POST });

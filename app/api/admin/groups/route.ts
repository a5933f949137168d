import { environmentOf } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { listGroups } from "@/lib/groups/list";
import { groupListInput } from "@/lib/groups/schema";
import { serializeGroups } from "@/lib/groups/serialize";

export const GET = endpoint({
  access: members("viewer"),
  input: groupListInput,
  handle: async ({ caller, input }) => json(serializeGroups(await listGroups(environmentOf(caller).id, input))),
});

export const HEAD = noHead({ GET });

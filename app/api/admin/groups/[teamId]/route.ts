import { environmentOf } from "@/lib/auth/member-caller";
import { hasRole } from "@/lib/auth/role";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { findGroupDetail } from "@/lib/groups/detail";
import { groupPath } from "@/lib/groups/schema";
import { serializeDetail } from "@/lib/groups/serialize";

export const GET = endpoint({
  access: members("viewer"),
  input: groupPath,
  handle: async ({ caller, input }) =>
    json(serializeDetail(await findGroupDetail(environmentOf(caller).id, input.teamId), hasRole(caller.role, "admin"))),
});

export const HEAD = noHead({ GET });

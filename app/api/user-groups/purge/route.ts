import { programs } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { purgeGroup } from "@/lib/groups/deletion";
import { groupErasure } from "@/lib/groups/deletion-schema";

export const POST = endpoint({
  access: programs("groups:purge"),
  conditions: [],
  input: groupErasure,
  handle: async (request) => done(await purgeGroup(request)),
});

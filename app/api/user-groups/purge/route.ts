import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { purgeGroup } from "@/lib/groups/deletion";
import { groupErasure } from "@/lib/groups/deletion-schema";

export const POST = endpoint({
  access: programs("groups:purge"),
  conditions: [],
  input: groupErasure,
  handle: async (request) => {
    await purgeGroup(request);
    return json({});
  },
});

export const HEAD = noHead({ POST });

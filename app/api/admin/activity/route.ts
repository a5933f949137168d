import { activityQuery } from "@/lib/audit/schema";
import { serializeActivity } from "@/lib/audit/serialize";
import { listActivity } from "@/lib/audit/service";
import { environmentOf } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";

export const GET = endpoint({
  access: members("viewer"),
  input: activityQuery,
  handle: async ({ caller, input }) => json(serializeActivity(await listActivity(environmentOf(caller).id, input))),
});

export const HEAD = noHead({ GET });

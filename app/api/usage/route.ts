import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { usageInput } from "@/lib/usage/schema";
import { answerUsage } from "@/lib/usage/serialize";
import { readUsage } from "@/lib/usage/service";

export const GET = endpoint({
  access: programs("groups:read"),
  input: usageInput,
  handle: async ({ caller, input }) => json(answerUsage(await readUsage(caller.environment.id, input))),
});

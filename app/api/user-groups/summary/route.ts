import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { summarizeGroups } from "@/lib/groups/summary";
import { summaryInput } from "@/lib/groups/summary-schema";

export const GET = endpoint({
  access: programs("groups:read"),
  input: summaryInput,
  handle: async ({ caller }) => json(await summarizeGroups(caller.environment.id)),
});

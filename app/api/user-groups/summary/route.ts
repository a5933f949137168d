import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { summarizeGroups } from "@/lib/groups/summary";
import { summaryAnswer } from "@/lib/groups/summary-schema";

export const GET = endpoint({
  operationId: "summarizeUserGroups",
  summary: "Summarize user groups",
  description:
    "Counts the groups by state, and lists the properties and values of a sample. In large environments the " +
    "counts are estimates: see `counts_are_exact`.",
  access: withScopes("groups:read"),
  input: noInput,
  answered: "The counts and the sampled properties.",
  answer: summaryAnswer,
  handle: async ({ caller }) => json(await summarizeGroups(caller.environment.id)),
});

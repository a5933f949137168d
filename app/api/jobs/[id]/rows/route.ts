import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobRows, jobRowsInput } from "@/lib/jobs/schema";
import { serializeJobRow } from "@/lib/jobs/serialize";
import { listJobRows } from "@/lib/jobs/stored";

export const GET = endpoint({
  operationId: "listJobRows",
  summary: "List the rows of a job",
  description:
    "Returns what each row would do, or did, in order. The deletions of a sync come last and have no line. A page " +
    "ends early at 4 MiB of texts.",
  access: withScopes("groups:read"),
  input: jobRowsInput,
  parameters: {
    after: { description: "`next` of the previous page.", schema: { type: "integer", minimum: 0, default: 0 } },
    limit: { schema: { type: "integer", minimum: 1, maximum: 100, default: 50 } },
  },
  answered: "A page of rows.",
  answer: jobRows,
  handle: async ({ caller, input }) => {
    const { rows, next } = await listJobRows(caller.environment.id, input);
    return json({ rows: rows.map(serializeJobRow), next });
  },
});

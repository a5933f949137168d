import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobRowsInput } from "@/lib/jobs/schema";
import { serializeJobRow } from "@/lib/jobs/serialize";
import { listJobRows } from "@/lib/jobs/stored";

export const GET = endpoint({
  access: programs("groups:read"),
  input: jobRowsInput,
  handle: async ({ caller, input }) => {
    const { rows, next } = await listJobRows(caller.environment.id, input);
    return json({ rows: rows.map(serializeJobRow), next });
  },
});

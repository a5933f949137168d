import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { importRowsInput } from "@/lib/imports/schema";
import { serializeImportRow } from "@/lib/imports/serialize";
import { listImportRows } from "@/lib/imports/service";

export const GET = endpoint({
  access: programs("groups:write", "groups:read"),
  input: importRowsInput,
  handle: async ({ caller, input }) => {
    const { rows, next } = await listImportRows(caller.environment.id, input);
    return json({ rows: rows.map(serializeImportRow), next });
  },
});

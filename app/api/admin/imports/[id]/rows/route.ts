import { adminRoute } from "@/lib/http/admin";
import { importRowsQuery } from "@/lib/imports/schema";
import { serializeImportRow } from "@/lib/imports/serialize";
import { listImportRows } from "@/lib/imports/service";
import { environmentOf } from "@/lib/members/caller";

export const GET = adminRoute({
  role: "admin",
  input: importRowsQuery,
  handle: async ({ caller, input }) => {
    const { rows, next } = await listImportRows(environmentOf(caller).id, input);
    return { rows: rows.map(serializeImportRow), next };
  },
});

import { environmentOf } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { importRowsQuery } from "@/lib/imports/schema";
import { serializeImportRow } from "@/lib/imports/serialize";
import { listImportRows } from "@/lib/imports/service";

export const GET = adminRoute({
  role: "admin",
  input: importRowsQuery,
  handle: async ({ caller, input }) => {
    const { rows, next } = await listImportRows(environmentOf(caller).id, input);
    return { rows: rows.map(serializeImportRow), next };
  },
});

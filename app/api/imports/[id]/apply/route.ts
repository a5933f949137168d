import { programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { applyImportAs, IMPORTED_CREATION, SYNC } from "@/lib/imports/service";

export const POST = endpoint({
  access: programsWith({ scopes: ["groups:write"], sometimes: [IMPORTED_CREATION, SYNC] }),
  conditions: [],
  input: importPath,
  handle: async ({ caller, input }) =>
    json({
      import: serializeImport(await applyImportAs(caller, input.id)),
    }),
});

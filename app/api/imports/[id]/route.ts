import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { findImport } from "@/lib/imports/service";

export const GET = endpoint({
  access: programs("groups:write"),
  input: importPath,
  handle: async ({ caller, input }) =>
    json({
      import: serializeImport(await findImport(caller.environment.id, input.id)),
    }),
});

import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { cancelImport } from "@/lib/imports/service";

export const POST = endpoint({
  access: programs("groups:write"),
  conditions: [],
  input: importPath,
  handle: async ({ caller, input }) =>
    json({
      import: serializeImport(await cancelImport(caller.environment.id, input.id, authorOf(caller))),
    }),
});

import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { undoRequest } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { beginUndo } from "@/lib/imports/undo";

export const POST = endpoint({
  access: programs("groups:write"),
  conditions: [],
  input: undoRequest,
  handle: async ({ caller, input }) => json({ import: serializeImport(await beginUndo(caller, input)) }),
});

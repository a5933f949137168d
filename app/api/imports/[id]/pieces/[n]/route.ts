import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { importPiece } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { addPiece } from "@/lib/imports/service";

export const PUT = endpoint({
  access: programs("groups:write"),
  conditions: [],
  input: importPiece,
  handle: async ({ caller, input: { id, n, content } }) => {
    const piece = { id, n, content: Buffer.from(content, "base64") };
    return json({ import: serializeImport(await addPiece(caller.environment.id, piece, authorOf(caller))) });
  },
});

import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { importPiece } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { addPiece } from "@/lib/imports/service";

export const PUT = adminRoute({
  role: "admin",
  input: importPiece,
  handle: async ({ caller, input: { id, n, content } }) => {
    const piece = { id, n, content: Buffer.from(content, "base64") };
    return { import: serializeImport(await addPiece(environmentOf(caller).id, piece, memberAuthor(caller))) };
  },
});

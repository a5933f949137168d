import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { importPiece } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { addPiece } from "@/lib/imports/service";

export const PUT = endpoint({
  access: members("admin"),
  input: importPiece,
  handle: async ({ caller, input: { id, n, content } }) => {
    const piece = { id, n, content: Buffer.from(content, "base64") };
    return json({ import: serializeImport(await addPiece(environmentOf(caller).id, piece, memberAuthor(caller))) });
  },
});

export const HEAD = noHead({ PUT });

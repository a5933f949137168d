import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { cancelImport } from "@/lib/imports/service";

export const POST = endpoint({
  access: members("admin"),
  input: importPath,
  handle: async ({ caller, input }) =>
    json({
      import: serializeImport(await cancelImport(environmentOf(caller).id, input.id, memberAuthor(caller))),
    }),
});

export const HEAD = noHead({ POST });

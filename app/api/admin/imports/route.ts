import { z } from "zod";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { newImport } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { createImport, listImports } from "@/lib/imports/service";

export const GET = endpoint({
  access: members("admin"),
  input: z.strictObject({}),
  handle: async ({ caller }) => json({ imports: (await listImports(environmentOf(caller).id)).map(serializeImport) }),
});

export const POST = endpoint({
  access: members("admin"),
  input: newImport,
  handle: async ({ caller, input }) =>
    json({
      import: serializeImport(await createImport(environmentOf(caller).id, input, { author: memberAuthor(caller) })),
    }),
});

export const HEAD = noHead({ GET, POST });

import { z } from "zod";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { newImport } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { createImport, listImports } from "@/lib/imports/service";

export const GET = adminRoute({
  role: "admin",
  input: z.strictObject({}),
  handle: async ({ caller }) => ({ imports: (await listImports(environmentOf(caller).id)).map(serializeImport) }),
});

export const POST = adminRoute({
  role: "admin",
  input: newImport,
  handle: async ({ caller, input }) => ({
    import: serializeImport(await createImport(environmentOf(caller).id, input, { author: memberAuthor(caller) })),
  }),
});

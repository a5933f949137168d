import { z } from "zod";
import { adminRoute } from "@/lib/http/admin";
import { newImport } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { createImport, listImports } from "@/lib/imports/service";
import { environmentOf, memberAuthor } from "@/lib/members/caller";

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

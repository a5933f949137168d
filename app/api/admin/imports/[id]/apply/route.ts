import { adminRoute } from "@/lib/http/admin";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { applyImport } from "@/lib/imports/service";
import { environmentOf, memberAuthor } from "@/lib/members/caller";

export const POST = adminRoute({
  role: "admin",
  input: importPath,
  handle: async ({ caller, input }) => ({
    import: serializeImport(await applyImport(environmentOf(caller).id, input.id, memberAuthor(caller))),
  }),
});

import { adminRoute } from "@/lib/http/admin";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { cancelImport } from "@/lib/imports/service";
import { environmentOf, memberAuthor } from "@/lib/members/caller";

export const POST = adminRoute({
  role: "admin",
  input: importPath,
  handle: async ({ caller, input }) => ({
    import: serializeImport(await cancelImport(environmentOf(caller).id, input.id, memberAuthor(caller))),
  }),
});

import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { cancelImport } from "@/lib/imports/service";

export const POST = adminRoute({
  role: "admin",
  input: importPath,
  handle: async ({ caller, input }) => ({
    import: serializeImport(await cancelImport(environmentOf(caller).id, input.id, memberAuthor(caller))),
  }),
});

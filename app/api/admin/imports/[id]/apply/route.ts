import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { applyImport } from "@/lib/imports/service";

export const POST = adminRoute({
  role: "admin",
  input: importPath,
  handle: async ({ caller, input }) => ({
    import: serializeImport(await applyImport(environmentOf(caller).id, input.id, memberAuthor(caller))),
  }),
});

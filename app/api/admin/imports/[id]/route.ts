import { environmentOf } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { importPath } from "@/lib/imports/schema";
import { serializeImport } from "@/lib/imports/serialize";
import { findImport } from "@/lib/imports/service";

export const GET = adminRoute({
  role: "admin",
  input: importPath,
  handle: async ({ caller, input }) => ({
    import: serializeImport(await findImport(environmentOf(caller).id, input.id)),
  }),
});

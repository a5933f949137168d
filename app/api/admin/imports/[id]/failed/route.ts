import { environmentOf } from "@/lib/auth/member-caller";
import { downloadRoute } from "@/lib/endpoint/download";
import { reportFailures } from "@/lib/imports/report";
import { importPath } from "@/lib/imports/schema";

export const GET = downloadRoute({
  role: "admin",
  input: importPath,
  handle: async ({ caller, input }) => {
    const { id, slug } = environmentOf(caller);
    return {
      name: `import-${slug}-${input.id}-failed.csv`,
      type: "text/csv; charset=utf-8; header=present",
      pieces: reportFailures(id, input.id),
    };
  },
});

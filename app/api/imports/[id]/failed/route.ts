import { programs } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";
import { reportFailures } from "@/lib/imports/report";
import { importPath } from "@/lib/imports/schema";

export const GET = endpoint({
  hasHead: false,
  access: programs("groups:write"),
  input: importPath,
  handle: ({ call, caller, input }) => {
    const { id, slug } = caller.environment;
    return download({ call, caller }, async () => ({
      name: `import-${slug}-${input.id}-failed`,
      format: "csv",
      pieces: reportFailures(id, input.id),
    }));
  },
});

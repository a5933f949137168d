import { programs } from "@/lib/endpoint/access";
import { file } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { reportFailures } from "@/lib/imports/report";
import { importPath } from "@/lib/imports/schema";

export const GET = endpoint({
  access: programs("groups:write"),
  input: importPath,
  handle: async ({ caller, input }) => {
    const { id, slug } = caller.environment;
    return file({
      name: `import-${slug}-${input.id}-failed`,
      format: "csv",
      pieces: reportFailures(id, input.id),
    });
  },
});

export const HEAD = noHead({ GET });

import { withScopes } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";
import { reportFailures } from "@/lib/jobs/report";
import { jobPath } from "@/lib/jobs/schema";

export const GET = endpoint({
  operationId: "downloadFailedJobRows",
  summary: "Download the rows that failed",
  description: "A CSV file with a line for each error.",
  hasHead: false,
  access: withScopes("groups:read"),
  input: jobPath,
  answered: "The file.",
  textExamples: { "text/csv": {} },
  handle: ({ call, caller, input }) => {
    const { id, slug } = caller.environment;
    return download({ call, caller }, async () => ({
      name: `job-${slug}-${input.id}-failed`,
      format: "csv",
      pieces: reportFailures(id, input.id),
    }));
  },
});

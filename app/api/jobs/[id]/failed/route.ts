import { programs } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";
import { reportFailures } from "@/lib/jobs/report";
import { jobPath } from "@/lib/jobs/schema";

export const GET = endpoint({
  hasHead: false,
  access: programs("groups:read"),
  input: jobPath,
  handle: ({ call, caller, input }) => {
    const { id, slug } = caller.environment;
    return download({ call, caller }, async () => ({
      name: `job-${slug}-${input.id}-failed`,
      format: "csv",
      pieces: reportFailures(id, input.id),
    }));
  },
});

import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { downloadRoute } from "@/lib/endpoint/download";
import { exportGroups } from "@/lib/groups/export";
import { groupExport } from "@/lib/groups/schema";

const TYPES = { csv: "text/csv; charset=utf-8; header=present", jsonl: "application/jsonl; charset=utf-8" };

export const GET = downloadRoute({
  role: "viewer",
  input: groupExport,
  handle: async ({ caller, input }) => {
    const { id, slug } = environmentOf(caller);
    return {
      name: `user-groups-${slug}-${new Date().toISOString().slice(0, 10)}.${input.format}`,
      type: TYPES[input.format],
      pieces: await exportGroups(id, input, memberAuthor(caller)),
    };
  },
});

import { exportHistory } from "@/lib/audit/export";
import { historyExportInput } from "@/lib/audit/schema";
import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  hasHead: false,
  access: programs("groups:read"),
  input: historyExportInput,
  handle: ({ call, caller, input }) =>
    download({ call, caller }, async () => {
      const { environment, actorType } = caller;
      const reader = { environmentId: environment.id, isMember: actorType === "member" };
      return {
        name: `history-${environment.slug}-${new Date().toISOString().slice(0, 10)}`,
        format: input.format,
        pieces: await exportHistory(reader, input, authorOf(caller)),
      };
    }),
});

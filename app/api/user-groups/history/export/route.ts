import { exportHistory } from "@/lib/audit/export";
import { historyExportInput } from "@/lib/audit/schema";
import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { file } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";

export const GET = endpoint({
  access: programs("groups:read"),
  input: historyExportInput,
  handle: async ({ caller, input }) => {
    const { environment, actorType } = caller;
    const reader = { environmentId: environment.id, isMember: actorType === "member" };
    return file({
      name: `history-${environment.slug}-${new Date().toISOString().slice(0, 10)}`,
      format: input.format,
      pieces: await exportHistory(reader, input, authorOf(caller)),
    });
  },
});

export const HEAD = noHead({ GET });

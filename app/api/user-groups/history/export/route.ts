import { exportHistory } from "@/lib/audit/export";
import { historyExportInput } from "@/lib/audit/schema";
import { authorOf } from "@/lib/auth/caller";
import { withScopes } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  operationId: "exportUserGroupHistory",
  summary: "Export what changed",
  description:
    "Streams all entries that match, newest first, never with a token: JSON lines as `/api/user-groups/history` " +
    "lists them, or CSV. A connection that breaks before the end leaves an incomplete file. The history records the " +
    "export.",
  hasHead: false,
  access: withScopes("groups:read"),
  input: historyExportInput,
  answered: "The entries as a file.",
  textExamples: {
    "application/x-ndjson": {
      lines: {
        value:
          '{"id":"4711","at":"2026-11-20T08:00:00.000Z","action":"user_group.created",' +
          '"actor":{"type":"api_token","id":"1","name":"backend"},' +
          '"request_id":"0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55","team_id":3,' +
          '"user_group":{"provided_id":"example_1","name":"Example 1","exists":true},"environment":"testing",' +
          '"before":null,"after":{"provided_id":"example_1","name":"Example 1","mapping":{},"properties":null},' +
          '"token_changed":false}\n',
      },
    },
    "text/csv": {},
  },
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

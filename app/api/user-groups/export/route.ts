import { authorOf } from "@/lib/auth/caller";
import { withScopes } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";
import { exportGroups } from "@/lib/groups/export";
import { groupExport } from "@/lib/groups/list-schema";

export const GET = endpoint({
  operationId: "exportUserGroups",
  summary: "Export user groups",
  description:
    "Streams all groups that match, in order of `team_id`, never with a token: JSON lines, or CSV with a header " +
    "line and, as `active_viewers`, the distinct viewers of this month (UTC) so far. A connection that breaks before " +
    "the end leaves an incomplete file. An import reads both formats; it sets neither `state` nor `access_ends_at`. " +
    "The history records the export.",
  hasHead: false,
  access: withScopes("groups:read"),
  input: groupExport,
  answered: "The groups as a file.",
  textExamples: {
    "application/x-ndjson": {
      lines: {
        value:
          '{"user_group_id":"example_1","name":"Example 1","mapping":{"40":"213"},"properties":null,' +
          '"created_at":"2026-11-20T08:00:00.000Z","updated_at":"2026-11-20T08:00:00.000Z","state":"active",' +
          '"access_ends_at":null}\n',
      },
    },
    "text/csv": {
      rows: {
        value:
          "\uFEFFuser_group_id,name,mapping,properties,created_at,updated_at,state,access_ends_at,active_viewers\r\n",
      },
    },
  },
  handle: ({ call, caller, input }) =>
    download({ call, caller }, async () => ({
      name: `user-groups-${caller.environment.slug}-${new Date().toISOString().slice(0, 10)}`,
      format: input.format,
      pieces: await exportGroups(caller.environment.id, input, authorOf(caller)),
    })),
});

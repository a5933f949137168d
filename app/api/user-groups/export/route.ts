import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";
import { exportGroups } from "@/lib/groups/export";
import { groupExport } from "@/lib/groups/list-schema";

export const GET = endpoint({
  hasHead: false,
  access: programs("groups:read"),
  input: groupExport,
  handle: ({ call, caller, input }) =>
    download({ call, caller }, async () => ({
      name: `user-groups-${caller.environment.slug}-${new Date().toISOString().slice(0, 10)}`,
      format: input.format,
      pieces: await exportGroups(caller.environment.id, input, authorOf(caller)),
    })),
});

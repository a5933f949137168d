import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { download } from "@/lib/endpoint/download";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { exportGroups } from "@/lib/groups/export";
import { groupExport } from "@/lib/groups/list-schema";

export const GET = endpoint({
  access: programs("groups:read"),
  input: groupExport,
  handle: ({ call, caller, input }) =>
    download({ call, caller }, async () => ({
      name: `user-groups-${caller.environment.slug}-${new Date().toISOString().slice(0, 10)}`,
      format: input.format,
      pieces: await exportGroups(caller.environment.id, input, authorOf(caller)),
    })),
});

export const HEAD = noHead({ GET });

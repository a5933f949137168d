import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { file } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { exportGroups } from "@/lib/groups/export";
import { groupExport } from "@/lib/groups/schema";

const TYPES = { csv: "text/csv; charset=utf-8; header=present", jsonl: "application/jsonl; charset=utf-8" };

export const GET = endpoint({
  access: members("viewer"),
  input: groupExport,
  handle: async ({ caller, input }) => {
    const { id, slug } = environmentOf(caller);
    return file({
      name: `user-groups-${slug}-${new Date().toISOString().slice(0, 10)}.${input.format}`,
      type: TYPES[input.format],
      pieces: await exportGroups(id, input, memberAuthor(caller)),
    });
  },
});

export const HEAD = noHead({ GET });

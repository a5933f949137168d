import type { ComparedGroup, countDifferences } from "@/lib/comparison/groups";
import type { Part } from "@/lib/comparison/parts";
import type { CopyAnswer } from "@/lib/comparison/schema";
import { json } from "@/lib/endpoint/answer";
import type { Answer } from "@/lib/endpoint/call";
import { rawJson } from "@/lib/json/raw-json";

/** The answer with two environments' settings. */
export function answerParts(parts: Part[]): Answer {
  return json({
    parts: parts.map(({ name, here, there, tag }) => ({ name, here: rawJson(here), there: rawJson(there), tag })),
  });
}

/** The answer to a copy. */
export function answerCopy(webhooks: CopyAnswer["webhooks"]): Answer {
  return json({ webhooks: webhooks.map(({ id, url, secret }) => ({ id, url, secret })) });
}

/** The answer with differing groups. */
export function answerComparedGroups({ groups, next }: { groups: ComparedGroup[]; next: string | null }): Answer {
  return json({ groups: groups.map(serializeGroup), next_cursor: next });
}

/** The answer with numbers of groups. */
export function answerGroupCounts(counted: Awaited<ReturnType<typeof countDifferences>>): Answer {
  const { same, only_here, only_there, differing, next } = counted;
  return json({ same, only_here, only_there, differing, next_cursor: next });
}

function serializeGroup({ providedId, kind, differing, here, there }: ComparedGroup) {
  const side = (of: ComparedGroup["here"]) =>
    of && {
      team_id: of.team_id,
      name: of.name,
      state: of.state,
      // Of a group that the other side has too.
      ...(kind === "differing" && {
        mapping: rawJson(of.mapping),
        properties: of.properties === null ? null : rawJson(of.properties),
      }),
    };
  return { user_group_id: providedId, kind, differing, here: side(here), there: side(there) };
}

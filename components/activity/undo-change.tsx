import { formerFields } from "@/components/activity/former-fields";
import { Button } from "@/components/ui/button";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import type { ActivityEntry } from "@/lib/audit/queries";
import { askToUpdateGroup, fetchGroup } from "@/lib/groups/queries";

/** Offers to undo an update of a group; what was changed since is never overwritten. */
export function UndoChange({ entry }: { entry: ActivityEntry }) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const readAgain = useReadGroups();
  const { action, before, after, group, teamId, environment } = entry;
  const read = () => fetchGroup(slug, String(teamId));
  const undo = useAction<void, string | undefined>({
    isBare: true,
    act: async () => {
      const now = await read();
      if (before?.kind !== "group" || after?.kind !== "group") throw new Error("an update has both states");
      const { fields, changedSince } = formerFields(before, after, now);
      if (changedSince.length > 0) {
        const names = changedSince.map((name) => `“${name}”`).join(", ");
        throw new Error(`Somebody has changed ${names} since. Undo that change first, or edit the group.`);
      }
      return askToUpdateGroup(slug, now.etag, { ...fields, user_group_id: now.providedId });
    },
    wasDone: async () => {
      const now = await read();
      return (
        before?.kind === "group" &&
        (["name", "mapping", "properties"] as const).every((part) => now[part] === before[part])
      );
    },
    undone: "The group has not changed. Try again.",
    failed: "Nothing was undone",
    done: () => ({ title: `“${group?.name}” is as before that change` }),
    onDone: readAgain,
    onFailed: readAgain,
  });
  const isPossible =
    canWrite &&
    action === "user_group.updated" &&
    environment === slug &&
    group?.exists &&
    before?.kind === "group" &&
    after?.kind === "group" &&
    (before.name !== after.name || before.mapping !== after.mapping || before.properties !== after.properties);
  if (!isPossible) return null;
  return (
    <Button size="small" className="self-start" disabled={undo.state !== "ready"} onClick={() => undo.run()}>
      Undo this change
    </Button>
  );
}

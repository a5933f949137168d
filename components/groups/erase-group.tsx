import { ConfirmDialog } from "@/components/confirm-dialog";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { groupKeys } from "@/components/use-read-groups";
import { askToEraseGroup, isDeleted } from "@/lib/groups/deletion-queries";
import type { DeletedGroup } from "@/lib/groups/deletion-schema";

/** Confirms that a deleted group is erased for good. */
export function EraseGroup({ group, onClose }: { group: DeletedGroup; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { name, provided_id: id } = group;
  const erasure = useAction({
    act: () => askToEraseGroup(slug, group),
    wasDone: async () => !(await isDeleted(slug, group)),
    undone: `“${name}” was not erased. Try again.`,
    failed: "Nothing was erased",
    done: () => ({ title: `“${name}” was erased for good` }),
    onClose,
    reads: groupKeys(slug),
  });
  return (
    <ConfirmDialog
      action={erasure}
      title={`Erase “${name}” for good?`}
      description={
        <>
          Its properties, its mapping and its name are erased, in the history and in imports too. This cannot be undone.
          Backups and exported logs still hold what they held.
        </>
      }
      verb="Erase for good"
      doing="Erasing…"
      danger
      retype={id}
      onClose={onClose}
    />
  );
}

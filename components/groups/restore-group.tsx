import { ConfirmDialog } from "@/components/confirm-dialog";
import { useRestoredToast } from "@/components/groups/use-restored-toast";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { groupKeys } from "@/components/use-read-groups";
import { askToRestoreGroup, isDeleted } from "@/lib/groups/deletion-queries";
import type { DeletedGroup } from "@/lib/groups/deletion-schema";

/** Confirms a restoration; while another group has the id, that one is deleted in its place. */
export function RestoreGroup({ group, onClose }: { group: DeletedGroup; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const restoredToast = useRestoredToast();
  const { name, is_id_taken: isReplacing } = group;
  const restoration = useAction({
    act: () => askToRestoreGroup(slug, group, isReplacing),
    wasDone: async () => !(await isDeleted(slug, group)),
    undone: `“${name}” is still deleted. Try again.`,
    failed: "Nothing was restored",
    done: (_, hasProblems = false) => restoredToast({ name, teamId: group.team_id }, hasProblems),
    onClose,
    reads: groupKeys(slug),
  });
  return (
    <ConfirmDialog
      action={restoration}
      title={isReplacing ? `Replace the user group that has the id of “${name}” now?` : `Restore “${name}”?`}
      description={
        isReplacing
          ? "That user group is deleted, and its token stops working immediately. You can restore that one later."
          : "It returns with its token and its history."
      }
      verb={isReplacing ? "Replace" : "Restore"}
      doing="Restoring…"
      danger={isReplacing}
      onClose={onClose}
    ></ConfirmDialog>
  );
}

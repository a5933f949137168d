import { SettingDialog } from "@/components/confirm-dialog";
import { issueOf } from "@/components/form-issues";
import { useKept } from "@/components/groups/use-kept";
import { TextField } from "@/components/ui/text-field";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { groupKeys } from "@/components/use-read-groups";
import { fetchGroup, type Group } from "@/lib/groups/queries";
import { askToRename } from "@/lib/groups/state-queries";

const FIELD = "new_user_group_id";
const idIn = (fields: FormData) => String(fields.get(FIELD));

/** Gives a group another id. */
export function ChangeId({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { name, teamId, providedId } = group;
  const change = useAction({
    act: (fields: FormData) => askToRename(slug, group, idIn(fields)),
    wasDone: async (fields) => (await fetchGroup(slug, String(teamId))).providedId === idIn(fields),
    undone: "The id has not changed. Try again.",
    failed: "Nothing was changed",
    done: (fields) => ({ title: `The id of “${name}” is ${idIn(fields)}` }),
    onClose,
    reads: groupKeys(slug),
  });
  return (
    <SettingDialog
      action={change}
      title={`Change the id of “${name}”`}
      description={`For ${useKept()}, calls with the old id are refused with an error that names the new one.`}
      fields={[FIELD]}
      onClose={onClose}
    >
      <TextField
        label="Id"
        name={FIELD}
        defaultValue={providedId}
        autoComplete="off"
        hint="Its token, team number and history stay."
        error={issueOf(change.error, FIELD)}
      />
    </SettingDialog>
  );
}

import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { isSame, requireUnchanged } from "@/components/unchanged";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { OriginsField, originsIn } from "@/components/viewer-tokens/origins-field";
import { activityKey } from "@/lib/audit/queries";
import type { GroupReference } from "@/lib/groups/schema";
import { askToSetGroupOrigins, type GroupOrigins, ownOriginsQuery, viewersKey } from "@/lib/viewer-tokens/queries";

interface EditGroupOriginsProps {
  group: GroupReference;
  origins: GroupOrigins;
  onClose: () => void;
}

/** Changes where one group's dashboards may be embedded. */
export function EditGroupOrigins({ group, origins: { own }, onClose }: EditGroupOriginsProps) {
  const slug = useEnvironmentSlug();
  const [opened] = useState(own);
  const change = useAction({
    act: async (fields: FormData, read) => {
      requireUnchanged((await read(ownOriginsQuery(slug, group))).own, opened);
      await askToSetGroupOrigins(slug, group, originsIn(fields));
    },
    wasDone: async (fields, read) => isSame((await read(ownOriginsQuery(slug, group))).own, originsIn(fields)),
    done: () => ({ title: `The allowed origins of “${group.name}” were saved` }),
    onClose,
    reads: [viewersKey(slug), activityKey(slug)],
  });
  return (
    <ConfirmDialog
      verb="Save"
      action={change}
      title={`Allowed origins of “${group.name}”`}
      description="Apply to viewer tokens from now on. Existing ones keep theirs until they expire."
      fields={["allowed_origins"]}
      onClose={onClose}
    >
      <OriginsField
        initial={own}
        free={{ label: "As in the environment", hint: "Follows its settings under Embedding." }}
        error={change.error}
      />
    </ConfirmDialog>
  );
}

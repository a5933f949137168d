import { ConfirmAction } from "@/components/confirm-dialog";
import { TextField } from "@/components/ui/text-field";
import { TimeField } from "@/components/ui/time-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import { useLastEnded } from "@/components/viewer-tokens/use-last-ended";
import type { GroupReference } from "@/lib/groups/schema";
import { askToEndViewer } from "@/lib/viewer-tokens/end-queries";

const ACTION = "user_group.viewer_ended";
const MAX_LENGTH = 255;
const DESCRIPTION =
  "Revokes this person’s viewer tokens. Without a block, your backend can ask for new ones right away.";

const viewerIn = (fields: FormData) => String(fields.get("viewer"));

/** Ends the views of one person of a group, and may block further ones. */
export function EndViewer({ group, onClose }: { group: GroupReference; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const readAgain = useReadGroups();
  const { name, teamId } = group;
  const { isFetching, wasDone } = useLastEnded(slug, teamId, ACTION);
  return (
    <ConfirmAction
      act={(fields) => {
        const blockedUntil = String(fields.get("blocked_until")) || null;
        return askToEndViewer(slug, group, { viewer: viewerIn(fields), blockedUntil });
      }}
      wasDone={wasDone}
      failed="No view was ended"
      done={(fields) => ({ title: `The views of “${viewerIn(fields)}” were ended` })}
      onDone={readAgain}
      title={`End one person’s views of “${name}”`}
      description={DESCRIPTION}
      verb="End views"
      danger
      disabled={isFetching}
      onClose={onClose}
    >
      <TextField
        label="Person"
        name="viewer"
        hint="The id that your backend sends as viewer."
        required
        maxLength={MAX_LENGTH}
        autoComplete="off"
      />
      <TimeField label="Block until (optional)" name="blocked_until" hint="At most a year from now." />
    </ConfirmAction>
  );
}

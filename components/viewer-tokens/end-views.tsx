import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { ConfirmAction } from "@/components/confirm-dialog";
import { RelativeTime } from "@/components/relative-time";
import { TextField } from "@/components/ui/text-field";
import { TimeField } from "@/components/ui/time-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { groupKeys } from "@/components/use-read-groups";
import type { GroupReference } from "@/lib/groups/schema";
import { askToEndViewer, askToEndViews, type Ended, endedQuery, fetchEnded } from "@/lib/viewer-tokens/end-queries";

interface EndProps {
  group: GroupReference;
  onClose: () => void;
}

/** Confirms ending all views, and says what that guarantees. */
export function EndViews({ group, onClose }: EndProps) {
  const slug = useEnvironmentSlug();
  return (
    <EndDialog
      group={group}
      action="user_group.views_ended"
      act={() => askToEndViews(slug, group)}
      done={() => ({ title: `All views of “${group.name}” were ended` })}
      title={`End all views of “${group.name}”?`}
      description="Revokes every viewer token of this group. Its user group token stays, and your backend can ask for new viewer tokens right away."
      verb="End all views"
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4 text-text-secondary">
        <li>
          Renderers that ask <code className="whitespace-nowrap font-mono text-xs">POST /api/viewer</code> refuse them
          immediately.
        </li>
        <li>
          Renderers that only verify them offline refuse them when they expire: after 15 minutes, or the time that your
          backend or template asked for, 24 hours at most. Renderers that poll revocations refuse them sooner.
        </li>
      </ul>
    </EndDialog>
  );
}

const MAX_LENGTH = 255;

const viewerIn = (fields: FormData) => String(fields.get("viewer"));

/** Ends the views of one person of a group, and may block further ones. */
export function EndViewer({ group, onClose }: EndProps) {
  const slug = useEnvironmentSlug();
  return (
    <EndDialog
      group={group}
      action="user_group.viewer_ended"
      act={(fields) => {
        const blockedUntil = String(fields.get("blocked_until")) || null;
        return askToEndViewer(slug, group, { viewer: viewerIn(fields), blockedUntil });
      }}
      done={(fields) => ({ title: `The views of “${viewerIn(fields)}” were ended` })}
      title={`End one person’s views of “${group.name}”`}
      description="Revokes this person’s viewer tokens. Without a block, your backend can ask for new ones right away."
      verb="End views"
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
    </EndDialog>
  );
}

interface EndDialogProps
  extends EndProps,
    Pick<ComponentProps<typeof ConfirmAction>, "act" | "done" | "title" | "description" | "verb" | "children"> {
  action: Ended;
}

function EndDialog({ group: { teamId }, action, children, ...dialog }: EndDialogProps) {
  const slug = useEnvironmentSlug();
  const { data: last, isFetching } = useQuery(endedQuery(slug, teamId, action));
  return (
    <ConfirmAction
      wasDone={async () => {
        // The latest entry from before the request; a new one shows that it was done.
        if (last === undefined) throw new Error("Look at the group’s history.");
        return (await fetchEnded(slug, teamId, action))?.id !== last?.id;
      }}
      failed="No view was ended"
      reads={groupKeys(slug)}
      danger
      disabled={isFetching}
      {...dialog}
    >
      {children}
      {last && (
        <p className="text-text-muted text-xs">
          Last done by {last.actor.name} <RelativeTime at={last.at} />
        </p>
      )}
    </ConfirmAction>
  );
}

import { useQuery } from "@tanstack/react-query";
import { ConfirmAction } from "@/components/confirm-dialog";
import { RelativeTime } from "@/components/relative-time";
import { TextField } from "@/components/ui/text-field";
import { TimeField } from "@/components/ui/time-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import type { GroupReference } from "@/lib/groups/schema";
import { askToEndViewer, askToEndViews, type Ended, endedQuery, fetchEnded } from "@/lib/viewer-tokens/end-queries";

/** Confirms the end of all views, and says what it promises. */
export function EndViews({ group, onClose }: { group: GroupReference; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const readAgain = useReadGroups();
  const { name, teamId } = group;
  const { last, isFetching, wasDone } = useLastEnded(slug, teamId, "user_group.views_ended");
  return (
    <ConfirmAction
      act={() => askToEndViews(slug, group)}
      wasDone={wasDone}
      failed="No view was ended"
      done={() => ({ title: `All views of “${name}” were ended` })}
      onDone={readAgain}
      title={`End all views of “${name}”?`}
      description="Revokes every viewer token of this group. Its user group token stays, and your backend can ask for new viewer tokens right away."
      verb="End all views"
      danger
      disabled={isFetching}
      onClose={onClose}
    >
      <ul className="flex list-disc flex-col gap-1 pl-4 text-text-secondary">
        <li>
          Renderers that ask <code className="whitespace-nowrap font-mono text-xs">POST /api/viewer</code> refuse them
          immediately.
        </li>
        <li>
          Renderers that only verify them offline refuse them when they expire: after 15 minutes, or the time your
          backend asked for, 24 hours at most. Renderers that poll revocations refuse them sooner.
        </li>
      </ul>
      {last && (
        <p className="text-text-muted text-xs">
          Last done by {last.actor.name} <RelativeTime at={last.at} />
        </p>
      )}
    </ConfirmAction>
  );
}

const MAX_LENGTH = 255;

const viewerIn = (fields: FormData) => String(fields.get("viewer"));

/** Ends the views of one person of a group, and may block further ones. */
export function EndViewer({ group, onClose }: { group: GroupReference; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const readAgain = useReadGroups();
  const { name, teamId } = group;
  const { isFetching, wasDone } = useLastEnded(slug, teamId, "user_group.viewer_ended");
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
      description="Revokes this person’s viewer tokens. Without a block, your backend can ask for new ones right away."
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

/** The last time that views of a group were ended before this, and whether they have been ended since. */
function useLastEnded(environment: string, teamId: number, action: Ended) {
  const { data: last, isFetching } = useQuery(endedQuery(environment, teamId, action));
  const wasDone = async () => {
    // The entry from before it was sent.
    if (last === undefined) throw new Error("Look at the group’s history.");
    return (await fetchEnded(environment, teamId, action))?.id !== last?.id;
  };
  return { last, isFetching, wasDone };
}

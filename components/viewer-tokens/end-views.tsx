import { ConfirmAction } from "@/components/confirm-dialog";
import { RelativeTime } from "@/components/relative-time";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import { useLastEnded } from "@/components/viewer-tokens/use-last-ended";
import type { GroupReference } from "@/lib/groups/schema";
import { askToEndViews } from "@/lib/viewer-tokens/end-queries";

const ACTION = "user_group.views_ended";

/** Confirms the end of all views, and says what it promises. */
export function EndViews({ group, onClose }: { group: GroupReference; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const readAgain = useReadGroups();
  const { name, teamId } = group;
  const { last, isFetching, wasDone } = useLastEnded(slug, teamId, ACTION);
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

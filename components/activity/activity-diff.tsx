import { formerFields, type GroupEntryState } from "@/components/activity/former-fields";
import { partsOf } from "@/components/activity/words";
import { ChangedParts } from "@/components/changes/changed-parts";
import { DefinitionDiff } from "@/components/definitions/definition-diff";
import { formatTime, inBothZones } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { groupKeys } from "@/components/use-read-groups";
import type { ActivityEntry } from "@/lib/audit/queries";
import { askToUpdateGroup, fetchGroup } from "@/lib/groups/queries";

/** An entry in full: values before and after, and its origin. */
export function ActivityDiff({ entry }: { entry: ActivityEntry }) {
  const { before, after, token_changed: isTokenChanged, at, request_id, team_id, user_group: group } = entry;
  const parts = partsOf(entry);
  return (
    <div className="flex flex-col gap-3">
      {isTokenChanged && <p>The token was rotated; {endOfOld(after)}.</p>}
      {before?.kind === "definitions" && after?.kind === "definitions" ? (
        <DefinitionDiff before={before.text} after={after.text} />
      ) : (
        <ChangedParts parts={parts} />
      )}
      {before?.kind !== "definitions" && parts.length === 0 && !isTokenChanged && (
        <p className="text-text-muted">No fields changed.</p>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-text-muted text-xs">
        <Fact name="At" value={inBothZones(at)} />
        {group?.provided_id && <Fact name="Id" value={group.provided_id} />}
        {team_id !== null && <Fact name="Team" value={String(team_id)} />}
        {request_id && <Fact name="Request id" value={request_id} />}
      </dl>
      {before?.kind === "group" && after?.kind === "group" && (
        <UndoChange entry={entry} before={before} after={after} />
      )}
    </div>
  );
}

/** What happened to the old token, which keeps working during an overlap. */
function endOfOld(after: ActivityEntry["after"]): string {
  const until = after?.kind === "group" ? after.previousTokenValidUntil : undefined;
  return until ? `the old one was set to work until ${formatTime(until)}` : "the old one stopped working";
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="shrink-0">{name}</dt>
      <dd className="min-w-0 break-all text-text">{value}</dd>
    </div>
  );
}

const PARTS = ["name", "mapping", "properties"] as const;

interface UndoChangeProps {
  entry: ActivityEntry;
  before: GroupEntryState;
  after: GroupEntryState;
}

/** Offers to undo an update of a group; later changes are never overwritten. */
function UndoChange({ entry, before, after }: UndoChangeProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { action, user_group: group, team_id: teamId, environment } = entry;
  const read = () => fetchGroup(slug, String(teamId));
  const undo = useAction<void, string | undefined>({
    isBare: true,
    act: async () => {
      const now = await read();
      const { fields, changedSince } = formerFields(before, after, now);
      if (changedSince.length > 0) {
        const names = changedSince.map((name) => `“${name}”`).join(", ");
        throw new Error(`Someone has changed ${names} since. Undo that change first, or edit the group.`);
      }
      if (Object.keys(fields).length === 0) return undefined;
      return askToUpdateGroup(slug, now.etag, { ...fields, user_group_id: now.providedId });
    },
    wasDone: async () => {
      const { fields, changedSince } = formerFields(before, after, await read());
      return changedSince.length === 0 && Object.keys(fields).length === 0;
    },
    failed: "Nothing was undone",
    done: () => ({ title: `The change to “${group?.name}” was undone` }),
    reads: groupKeys(slug),
  });
  const isPossible =
    canWrite &&
    action === "user_group.updated" &&
    environment === slug &&
    group?.exists &&
    // An undo cannot restore the end of access.
    before.accessEndsAt === after.accessEndsAt &&
    PARTS.some((part) => before[part] !== after[part]);
  if (!isPossible) return null;
  return (
    <Button size="small" className="self-start" disabled={undo.state !== "ready"} onClick={() => undo.run()}>
      Undo this change
    </Button>
  );
}

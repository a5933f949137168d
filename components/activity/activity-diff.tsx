import { UndoChange } from "@/components/activity/undo-change";
import { partsOf } from "@/components/activity/words";
import { ChangedParts } from "@/components/changes/changed-parts";
import { DefinitionDiff } from "@/components/definitions/definition-diff";
import { inBothZones } from "@/components/relative-time";
import type { ActivityEntry } from "@/lib/audit/queries";

/** An entry in full: values before and after, and its origin. */
export function ActivityDiff({ entry }: { entry: ActivityEntry }) {
  const { before, after, tokenChanged, at, requestId, teamId, group } = entry;
  const parts = partsOf(entry);
  return (
    <div className="flex flex-col gap-3">
      {tokenChanged && <p>The token was replaced; the old one stopped working.</p>}
      {before?.kind === "definitions" && after?.kind === "definitions" ? (
        <DefinitionDiff before={before.text} after={after.text} />
      ) : (
        <ChangedParts parts={parts} />
      )}
      {before?.kind !== "definitions" && parts.length === 0 && !tokenChanged && (
        <p className="text-text-muted">No fields changed.</p>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-text-muted text-xs">
        <Fact name="At" value={inBothZones(at)} />
        {group?.providedId && <Fact name="Id" value={group.providedId} />}
        {teamId !== null && <Fact name="Team" value={String(teamId)} />}
        {requestId && <Fact name="Request id" value={requestId} />}
      </dl>
      <UndoChange entry={entry} />
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="shrink-0">{name}</dt>
      <dd className="min-w-0 break-all text-text">{value}</dd>
    </div>
  );
}

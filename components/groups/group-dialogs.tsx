import { useState } from "react";
import { ConfirmAction, ConfirmDialog } from "@/components/confirm-dialog";
import { issueOf } from "@/components/form-issues";
import { ChangeState } from "@/components/groups/change-state";
import { DeleteGroups } from "@/components/groups/delete-groups";
import { RotateToken } from "@/components/groups/rotate-token";
import { useKept } from "@/components/groups/use-kept";
import { DayAndTime, formatTime, StrongTime, utcOf } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/text-field";
import { TimeField } from "@/components/ui/time-field";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useLeadOn } from "@/components/use-lead-on";
import { groupKeys } from "@/components/use-read-groups";
import { EndViewer, EndViews } from "@/components/viewer-tokens/end-views";
import { NoPreview } from "@/components/viewer-tokens/no-preview";
import { fetchGroup, type Group } from "@/lib/groups/queries";
import { askToPatch, type GroupState } from "@/lib/groups/state-queries";
import { askToEndOverlap } from "@/lib/groups/token-queries";

const DIALOGS = {
  rotate: RotateToken,
  end: AccessEnd,
  id: ChangeId,
  "end overlap": EndOverlap,
  "end views": EndViews,
  "end viewer": EndViewer,
  "no preview": NoPreview,
};

/** The dialogs of a group's page, by action or by the state that they change the group to. */
export type GroupDialog = keyof typeof DIALOGS | GroupState | "delete";

interface GroupDialogsProps {
  group: Group;
  open: GroupDialog;
  onClose: () => void;
}

export function GroupDialogs({ group, open, onClose }: GroupDialogsProps) {
  const slug = useEnvironmentSlug();
  const leadOn = useLeadOn();
  if (open === "suspended" || open === "active") return <ChangeState group={group} to={open} onClose={onClose} />;
  if (open === "delete") {
    return <DeleteGroups groups={[group]} onClose={onClose} onDeleted={() => leadOn(`/${slug}/groups`)} />;
  }
  const Open = DIALOGS[open];
  return <Open group={group} onClose={onClose} />;
}

/** Sets or clears when a group's access ends. */
function AccessEnd({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { name, teamId, accessEndsAt } = group;
  const [timesCleared, setTimesCleared] = useState(0);
  const [end, setEnd] = useState<string | null | undefined>(accessEndsAt);
  return (
    <ConfirmAction
      act={() => askToPatch(slug, group, { access_ends_at: end ?? null })}
      wasDone={async () => (await fetchGroup(slug, String(teamId))).accessEndsAt === end}
      done={() => ({ title: `Access for “${name}” ${end ? `ends ${formatTime(end)}` : "does not end"}` })}
      reads={groupKeys(slug)}
      title={`End of access for “${name}”`}
      description="Renderers that ask this service stop showing its dashboards then. It keeps its token."
      verb="Save"
      disabled={end === undefined || end === accessEndsAt}
      onClose={onClose}
    >
      <TimeField
        key={timesCleared}
        label="Access ends"
        stored={timesCleared > 0 ? null : accessEndsAt}
        hint={end ? inUtc(end) : end === null && "Never"}
        onChange={setEnd}
      />
      {end !== null && (
        <Button
          className="self-start"
          onClick={() => {
            setTimesCleared(timesCleared + 1);
            setEnd(null);
          }}
        >
          Clear
        </Button>
      )}
    </ConfirmAction>
  );
}

function inUtc(end: string): string {
  return `${utcOf(end)}${Date.parse(end) <= Date.now() ? ": in the past, so access ends now" : ""}`;
}

const FIELD = "new_user_group_id";
const idIn = (fields: FormData) => String(fields.get(FIELD));

/** Gives a group another id. */
function ChangeId({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const { name, teamId, providedId } = group;
  const change = useAction({
    act: (fields: FormData) => askToPatch(slug, group, { new_user_group_id: idIn(fields) }),
    wasDone: async (fields) => (await fetchGroup(slug, String(teamId))).providedId === idIn(fields),
    done: (fields) => ({ title: `“${name}” now has the id ${idIn(fields)}` }),
    onClose,
    reads: groupKeys(slug),
  });
  return (
    <ConfirmDialog
      verb="Save"
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
        hint="The group keeps its token, team number and history."
        error={issueOf(change.error, FIELD)}
      />
    </ConfirmDialog>
  );
}

/** Ends a group's overlap. */
function EndOverlap({ group, onClose }: { group: Group; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  // As it was when the dialog opened.
  const [{ name, teamId, providedId, previousToken }] = useState(group);
  if (!previousToken) return null;
  const { validUntil, lastUsedAt } = previousToken;
  return (
    <ConfirmAction
      act={() => askToEndOverlap(slug, providedId)}
      wasDone={async () => (await fetchGroup(slug, String(teamId))).previousToken?.validUntil !== validUntil}
      failed="The old token was not stopped"
      done={(_, hasEnded) => ({
        title: `The old token of “${name}” ${hasEnded === false ? "had already stopped" : "has stopped"}`,
      })}
      reads={groupKeys(slug)}
      title={`End the old token of “${name}” now?`}
      description={
        <>
          {lastUsedAt ? (
            <>
              It was last used <StrongTime at={lastUsedAt} />, and
            </>
          ) : (
            "It has never been used, and"
          )}{" "}
          would work until <DayAndTime at={validUntil} />. Pages that still have it no longer know who is viewing. This
          also ends current viewer tokens. The new token keeps working.
        </>
      }
      verb="End now"
      danger
      onClose={onClose}
    />
  );
}

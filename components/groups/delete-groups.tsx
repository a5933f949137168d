import { type ReactNode, useState } from "react";
import { ConfirmAction } from "@/components/confirm-dialog";
import { ConfirmText } from "@/components/confirm-text";
import { groupsIn } from "@/components/count";
import { toastFailure } from "@/components/failure";
import { JobDialog } from "@/components/groups/job-dialog";
import { deselect } from "@/components/groups/selection";
import { useGroupsJob } from "@/components/groups/use-groups-job";
import { useKept } from "@/components/groups/use-kept";
import { settle } from "@/components/settle";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadGroups } from "@/components/use-read-groups";
import { askToDeleteGroup, askToRestoreGroup } from "@/lib/groups/deletion-queries";
import { groupExists } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";

/** How long Undo is offered, in milliseconds; afterwards, groups can be restored under Recently deleted. */
const UNDO_MS = 10_000;
/** How many groups are listed by name. */
const NAMED = 100;

interface DeletionProps {
  onClose: () => void;
  /** called before the list is refetched */
  onDeleted: () => void;
}

/** Confirms a deletion, then offers to undo it for a while. */
export function DeleteGroups({ groups, ...props }: DeletionProps & { groups: GroupReference[] }) {
  const [first, ...others] = groups;
  return first && others.length === 0 ? (
    <DeleteOne group={first} {...props} />
  ) : (
    <DeleteMany {...props} groups={groups} />
  );
}

function DeleteOne({ group, onClose, onDeleted }: DeletionProps & { group: GroupReference }) {
  const slug = useEnvironmentSlug();
  const readAgain = useReadGroups();
  const kept = useKept();
  const { teamId, providedId, name } = group;
  const undo = async () => {
    try {
      await settle({
        act: () => askToRestoreGroup(slug, { provided_id: providedId, team_id: teamId }, false),
        wasDone: () => groupExists(slug, teamId),
        failed: "Nothing was restored",
      });
      toast({ title: `“${name}” was restored` });
    } catch (error) {
      toastFailure("Undo failed", error, { timeout: 0 });
    }
    await readAgain();
  };
  return (
    <ConfirmAction
      act={() => askToDeleteGroup(slug, group)}
      wasDone={async () => !(await groupExists(slug, teamId))}
      failed="Nothing was deleted"
      done={() => ({
        title: `“${name}” was deleted`,
        timeout: UNDO_MS,
        action: { label: "Undo", onClick: () => void undo() },
      })}
      onDone={() => {
        deselect(slug, [group]);
        onDeleted();
        return readAgain();
      }}
      title={`Delete “${name}”?`}
      description={
        <>
          Its token stops working immediately: dashboards embedded with it no longer know who is viewing. You can
          restore it from Recently deleted for {kept}.
        </>
      }
      verb="Delete user group"
      danger
      retype={providedId}
      onClose={onClose}
    >
      <Warning id="its id">
        <p>To stop serving it and keep its token, suspend it.</p>
      </Warning>
    </ConfirmAction>
  );
}

function DeleteMany({ groups, onClose, onDeleted }: DeletionProps & { groups: GroupReference[] }) {
  const slug = useEnvironmentSlug();
  const kept = useKept();
  const [typed, setTyped] = useState("");
  const expected = `delete ${groups.length}`;
  const run = useGroupsJob({
    groups,
    onClose,
    done: ({ done: { deleted } }) => ({ title: `${groupsIn(deleted)} ${deleted === 1 ? "was" : "were"} deleted` }),
    onEnd: ({ done: { deleted } }) => {
      if (deleted === 0) return;
      deselect(slug, groups);
      onDeleted();
    },
  });
  return (
    <JobDialog
      run={run}
      title={`Delete ${groupsIn(groups.length)}?`}
      description={
        <>
          Their tokens stop working immediately: dashboards embedded with them no longer know who is viewing. You can
          restore them from Recently deleted for {kept}.
        </>
      }
      failed="Nothing was deleted"
      verb={`Delete ${groupsIn(groups.length)}`}
      isDanger
      isDisabled={typed !== expected}
      onSubmit={() => run.begin({ mode: "delete", apply: true })}
      onClose={onClose}
    >
      <Warning id="one of their ids" />
      <ul className="max-h-32 overflow-y-auto rounded-md border border-border px-3 py-2">
        {groups.slice(0, NAMED).map(({ teamId, name }) => (
          <li key={teamId} className="truncate">
            {name}
          </li>
        ))}
        {groups.length > NAMED && (
          <li className="text-text-muted">and {(groups.length - NAMED).toLocaleString("en")} more</li>
        )}
      </ul>
      <ConfirmText expected={expected} value={typed} onChange={setTyped} />
    </JobDialog>
  );
}

function Warning({ id, children }: { id: string; children?: ReactNode }) {
  return (
    <Notice tone="warning">
      <p>If a program asks for {id} again, the service creates a new user group with another token.</p>
      {children}
    </Notice>
  );
}

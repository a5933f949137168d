"use client";

import { useRef, useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ConfirmText } from "@/components/confirm-text";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { deselect } from "@/components/groups/selection";
import { useReadGroups } from "@/components/groups/use-read-groups";
import { useRestoredToast } from "@/components/groups/use-restored-toast";
import { settle } from "@/components/settle";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { useAction } from "@/components/use-action";
import { askToDeleteGroups, askToRestoreGroups, type Deletion } from "@/lib/groups/deletion-queries";
import { groupExists } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import { MAX_SELECTED } from "@/lib/groups/selection-limit";

/** How long Undo is offered, in milliseconds; afterwards, Recently deleted restores groups. */
const UNDO_MS = 10_000;
/** What is known of a restoration without an answer. */
const NOTHING = { conflicts: [], incomplete: [], failure: undefined };
/** How many groups are listed by name. */
const NAMED = 100;

interface DeleteGroupsProps {
  groups: GroupReference[];
  onClose: () => void;
  /** called before the list is refetched */
  onDeleted?: () => void;
  /** asks to suspend the group instead */
  onSuspend?: (() => void) | undefined;
}

/** Confirms a deletion, then offers to undo it for a while. */
export function DeleteGroups({ groups, onClose, onDeleted, onSuspend }: DeleteGroupsProps) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const readAgain = useReadGroups();
  const restoredToast = useRestoredToast();
  const [typed, setTyped] = useState("");
  const [finished, setFinished] = useState(0);
  const stop = useRef<AbortController>(undefined);
  const [first] = groups;
  const one = groups.length === 1 ? first : undefined;
  const count = groups.length.toLocaleString("en");
  const expected = one?.providedId ?? `delete ${groups.length}`;
  const isLong = groups.length > MAX_SELECTED;
  const undo = async (teamIds: number[], wanted: number) => {
    try {
      const { answer } = await settle({
        act: () => askToRestoreGroups(slug, teamIds),
        wasDone: () => groupExists(slug, teamIds[0] ?? 0),
        undone: "Nothing was restored.",
      });
      const { restored, conflicts, incomplete, failure } = answer ?? { ...NOTHING, restored: teamIds };
      const missing = wanted - restored.length;
      const has = incomplete.length === 1 ? "has" : "have";
      const problems = incomplete.length > 0 && `By the definitions, ${groupsIn(incomplete.length)} ${has} problems.`;
      if (missing > 0) {
        const reason = conflicts.length > 0 && "Other groups use their ids now.";
        toast({
          title: `${missing.toLocaleString("en")} of ${groupsIn(wanted)} were not restored`,
          description: [reason, failure?.message, problems].filter(Boolean).join(" "),
          timeout: 0,
        });
      } else if (one) toast(restoredToast(one, incomplete.length > 0));
      else
        toast({
          title: `${groupsIn(restored.length)} were restored`,
          ...(problems && { description: problems, timeout: UNDO_MS }),
        });
    } catch (error) {
      toastFailure("Undo failed", error, { timeout: 0 });
    }
    await readAgain();
  };
  const deletion = useAction({
    act: () => {
      stop.current = new AbortController();
      const options = { signal: stop.current.signal, onProgress: setFinished };
      return askToDeleteGroups(slug, groups.map(teamIdOf), options);
    },
    // A batch is deleted entirely or not at all: checking its first group is enough.
    wasDone: async () => !(await groupExists(slug, first?.teamId ?? 0)),
    undone: `${one ? `“${one.name}” is` : "They are all"} still there. Try again.`,
    failed: "Nothing was deleted",
    done: (_, answer) => {
      const { deleted, uncertain, failure } = outcomeOf(answer);
      const part = `${deleted.length.toLocaleString("en")} of ${groupsIn(groups.length)}`;
      const teamIds = [...deleted.map(teamIdOf), ...uncertain];
      return {
        title: one
          ? `“${one.name}” was deleted`
          : `${isWhole(answer) ? groupsIn(deleted.length) : part} ${deleted.length === 1 ? "was" : "were"} deleted`,
        timeout: UNDO_MS,
        ...(failure && { description: failure.message }),
        action: { label: "Undo", onClick: () => void undo(teamIds, deleted.length) },
      };
    },
    onDone: (answer) => {
      onClose();
      // After a complete deletion, groups that were already gone are deselected too.
      deselect(slug, isWhole(answer) ? groups : outcomeOf(answer).deleted);
      onDeleted?.();
      return readAgain();
    },
  });
  /** What was deleted; without an answer, the one batch sent by then. */
  const outcomeOf = (answer: Deletion | undefined): Deletion =>
    answer ?? { deleted: groups.slice(0, MAX_SELECTED), uncertain: [] };
  const isWhole = (answer: Deletion | undefined) => {
    const { uncertain, failure } = outcomeOf(answer);
    return !failure && uncertain.length === 0 && !stop.current?.signal.aborted && (answer !== undefined || !isLong);
  };
  return (
    <ConfirmDialog
      action={deletion}
      environment={environment}
      title={one ? `Delete “${one.name}”?` : `Delete ${count} user groups?`}
      description={`${one ? "Its token stops" : "Their tokens stop"} working immediately: dashboards embedded with ${one ? "it" : "them"} no longer know who is viewing. You can restore ${one ? "it" : "them"} from Recently deleted for some days.`}
      verb={one ? "Delete user group" : `Delete ${count} user groups`}
      doing={isLong ? `Deleting ${finished.toLocaleString("en")} of ${count}…` : "Deleting…"}
      danger
      disabled={typed !== expected}
      onClose={onClose}
      {...(isLong && { onStop: () => stop.current?.abort() })}
    >
      <Notice tone="warning">
        <p>
          If a program asks for {one ? "its id" : "one of their ids"} again, the service creates a new user group with
          another token.
        </p>
        {onSuspend && (
          <>
            <p>To stop serving it and keep its token, suspend it.</p>
            <Button onClick={onSuspend} className="mt-1">
              Suspend instead…
            </Button>
          </>
        )}
      </Notice>
      {!one && (
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
      )}
      <ConfirmText expected={expected} value={typed} onChange={setTyped} />
    </ConfirmDialog>
  );
}

function groupsIn(count: number): string {
  return `${count.toLocaleString("en")} user ${count === 1 ? "group" : "groups"}`;
}

const teamIdOf = ({ teamId }: GroupReference) => teamId;

"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { ConfirmText } from "@/components/confirm-text";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { settle } from "@/components/settle";
import { toast } from "@/components/ui/toast";
import { useAction } from "@/components/use-action";
import { deleteGroups, groupExists, groupsKey, restoreGroups } from "@/lib/groups/queries";

/** How long a deletion can be undone, in milliseconds. */
const UNDO_MS = 10_000;

interface DeleteGroupsProps {
  groups: { teamId: number; name: string; providedId: string }[];
  onClose: () => void;
  /** once they are deleted, before the list is read again */
  onDeleted?: () => void;
}

/** Asks before groups are deleted, and offers to undo it for a while. */
export function DeleteGroups({ groups, onClose, onDeleted }: DeleteGroupsProps) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const [first] = groups;
  const one = groups.length === 1 ? first : undefined;
  const expected = one?.providedId ?? `delete ${groups.length}`;
  const teamIds = groups.map(({ teamId }) => teamId);
  const readAgain = () => client.invalidateQueries({ queryKey: groupsKey(slug) });
  // All of them or none: one tells of all.
  const areThere = ([one = 0]: number[]) => groupExists(slug, one);
  const undo = async (deleted: number[]) => {
    try {
      const { answer } = await settle({
        act: () => restoreGroups(slug, deleted),
        wasDone: () => areThere(deleted),
        undone: "Nothing has come back.",
      });
      const conflicts = answer?.conflicts ?? [];
      if (conflicts.length === 0)
        toast({ title: one ? `“${one.name}” is back` : `${groups.length} user groups are back` });
      else {
        const title = `${conflicts.length} of ${groups.length} user groups did not come back`;
        toast({ title, description: "Their ids were given to other groups meanwhile: those stay.", timeout: 0 });
      }
    } catch (error) {
      toastFailure("It could not be undone", error, { timeout: 0 });
    }
    await readAgain();
  };
  const deletion = useAction({
    act: () => deleteGroups(slug, teamIds),
    wasDone: async () => !(await areThere(teamIds)),
    undone: `${one ? `“${one.name}” is` : "They are all"} still there. Try again.`,
    failed: "Nothing was deleted",
    done: (_, answer) => ({
      title: one ? `“${one.name}” was deleted` : `${groups.length} user groups were deleted`,
      timeout: UNDO_MS,
      action: { label: "Undo", onClick: () => void undo(answer?.deleted.map(({ teamId }) => teamId) ?? teamIds) },
    }),
    onDone: () => {
      onClose();
      onDeleted?.();
      return readAgain();
    },
  });
  return (
    <ConfirmDialog
      action={deletion}
      title={one ? `Delete “${one.name}”?` : `Delete ${groups.length} user groups?`}
      description={`${one ? "Its token stops" : "Their tokens stop"} working at once: dashboards embedded with ${one ? "it" : "them"} no longer know who is viewing. You can undo this for 10 seconds.`}
      verb={one ? "Delete user group" : `Delete ${groups.length} user groups`}
      doing="Deleting…"
      danger
      disabled={typed !== expected}
      onClose={onClose}
    >
      {environment && <EnvironmentMark environment={environment} />}
      {!one && (
        <ul className="max-h-32 overflow-y-auto rounded-md border border-border px-3 py-2">
          {groups.map(({ teamId, name }) => (
            <li key={teamId} className="truncate">
              {name}
            </li>
          ))}
        </ul>
      )}
      <ConfirmText expected={expected} value={typed} onChange={setTyped} />
    </ConfirmDialog>
  );
}

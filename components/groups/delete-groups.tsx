"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ConfirmText } from "@/components/confirm-text";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { toast } from "@/components/ui/toast";
import { deleteGroups, groupsKey, restoreGroups } from "@/lib/groups/queries";

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
  const undo = async (deleted: number[]) => {
    try {
      const { conflicts } = await restoreGroups(slug, deleted);
      if (conflicts.length === 0)
        toast({ title: one ? `“${one.name}” is back` : `${groups.length} user groups are back` });
      else {
        const title = `${conflicts.length} of ${groups.length} user groups did not come back`;
        toast({ title, description: "Their ids were given to other groups meanwhile: those stay.", timeout: 0 });
      }
    } catch (error) {
      toast({ title: "It could not be undone", description: error instanceof Error ? error.message : "", timeout: 0 });
    }
    await readAgain();
  };
  const deletion = useMutation({
    mutationFn: () => deleteGroups(slug, teamIds),
    onSuccess: ({ deleted }) => {
      toast({
        title: one ? `“${one.name}” was deleted` : `${groups.length} user groups were deleted`,
        timeout: UNDO_MS,
        action: { label: "Undo", onClick: () => void undo(deleted.map(({ teamId }) => teamId)) },
      });
      onClose();
      onDeleted?.();
      return readAgain();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    deletion.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={one ? `Delete “${one.name}”?` : `Delete ${groups.length} user groups?`}
      description={`${one ? "Its token stops" : "Their tokens stop"} working at once: dashboards embedded with ${one ? "it" : "them"} no longer know who is viewing. You can undo this for 10 seconds.`}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
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
        {deletion.error && <Failure title="Nothing was deleted" error={deletion.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="danger" disabled={typed !== expected || deletion.isPending}>
            {one ? "Delete user group" : `Delete ${groups.length} user groups`}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

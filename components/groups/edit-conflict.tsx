"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { Failure } from "@/components/failure";
import { RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { lastChangeQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";
import type { GroupForm } from "@/lib/groups/schema";

interface EditConflictProps {
  base: Group;
  mine: GroupForm;
  theirs: Group;
  onClose: () => void;
  onReload: () => void;
  onOverwrite: () => Promise<void>;
}

/** Shows what someone else changed during editing, and offers a choice. */
export function EditConflict({ base, mine, theirs, onClose, onReload, onOverwrite }: EditConflictProps) {
  const environment = useEnvironment();
  const overwrite = useMutation({ mutationFn: onOverwrite });
  const { data: lastChange } = useQuery(lastChangeQuery(useEnvironmentSlug(), theirs));
  const fields = [
    { label: "Name", was: base.name, theirs: theirs.name, mine: mine.name },
    { label: "Mapping", was: base.mapping, theirs: theirs.mapping, mine: mine.mapping },
    { label: "Properties", was: base.properties ?? "null", theirs: theirs.properties ?? "null", mine: mine.properties },
  ].filter((field) => field.theirs !== field.was);
  const wasRotated = base.rotatedAt !== theirs.rotatedAt;
  return (
    <Dialog
      open
      wide
      environment={environment}
      isHeld={overwrite.isPending}
      onOpenChange={(open) => !open && onClose()}
      title={`${lastChange?.actor.name ?? "Someone"} changed this user group while you were editing`}
      description="Your changes are not saved yet. Reload to see theirs and discard yours, or overwrite to save the fields you changed."
    >
      {lastChange && (
        <p className="text-text-muted">
          Last changed <RelativeTime at={lastChange.at} /> by {lastChange.actor.name}.
        </p>
      )}
      {wasRotated && <p>The token was rotated.</p>}
      {fields.map(({ label, theirs, mine }) => (
        <section key={label} aria-label={label} className="flex flex-col gap-2">
          <h3 className="font-medium">{label}</h3>
          <div className="grid gap-2 sm:grid-cols-2">
            <Version title="Theirs, saved" text={theirs} />
            <Version title={mine === theirs ? "Yours, identical" : "Yours, not saved"} text={mine} />
          </div>
        </section>
      ))}
      {overwrite.error && <Failure title="Nothing was saved" error={overwrite.error} />}
      <DialogActions>
        {!overwrite.isPending && (
          <>
            <Button onClick={onClose}>Keep editing</Button>
            <Button onClick={onReload}>Reload</Button>
          </>
        )}
        <Button variant="danger" disabled={overwrite.isPending} onClick={() => overwrite.mutate()}>
          {overwrite.isPending ? "Overwriting…" : "Overwrite"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Version({ title, text }: { title: string; text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-text-muted text-xs">{title}</p>
      <pre className="max-h-48 overflow-auto whitespace-pre-wrap break-all rounded-md border border-border bg-sunken p-2 font-mono text-xs">
        {text}
      </pre>
    </div>
  );
}

"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Guides } from "@/components/definitions/guides";
import { GroupForm } from "@/components/groups/group-form";
import type { GroupFields, Values } from "@/components/groups/use-group-fields";
import { settle } from "@/components/settle";
import { onDemand } from "@/components/ui/on-demand";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import { ApiError } from "@/lib/browser/api-client";
import { lastChangeQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";
import { askToUpdateGroup, fetchGroup, groupQuery } from "@/lib/groups/queries";

const conflictDialog = onDemand(() => import("@/components/groups/edit-conflict"));
const EditConflict = conflictDialog.part("EditConflict");

interface Conflict {
  values: Values;
  form: GroupFields;
  /** the group as someone else saved it */
  theirs: Group;
}

interface EditGroupProps {
  group: Group;
  isDirty: boolean;
  onDirty: (dirty: boolean) => void;
  /** brings the fields into view */
  onWrong: () => Promise<unknown>;
  barPlace: Element | null;
  guides: Guides | undefined;
}

/** Edits a group. Saving never overwrites a newer version than the one read. */
export function EditGroup({ group, isDirty, onDirty, ...form }: EditGroupProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const client = useQueryClient();
  const readAgain = useReadGroups();
  // A refetch must not change the fields while they are edited.
  const [base, setBase] = useState({ group, edition: 0 });
  const [conflict, setConflict] = useState<Conflict>();
  const reload = (theirs: Group) => setBase({ group: theirs, edition: base.edition + 1 });
  if (!isDirty && !conflict && versionOf(group.etag) > versionOf(base.group.etag)) reload(group);

  /** Saves the changed fields over a known version; anything typed in the meantime stays unsaved. */
  const save = async (values: Values, form: GroupFields, over: Group) => {
    const { changed, values: sent } = form.now();
    const fields = Object.fromEntries(changed.map((name) => [name, values[name]]));
    const texts = Object.fromEntries(changed.map((name) => [name, sent[name]]));
    const read = () => fetchGroup(slug, String(group.teamId));
    const { answer } = await settle({
      act: () => askToUpdateGroup(slug, over.etag, { ...fields, user_group_id: group.providedId }),
      wasDone: async () => {
        const now = fieldsOf(await read());
        return changed.every((name) => now[name] === texts[name]);
      },
      undone: "The group has not changed, and your changes are still here. Save again.",
    });
    const etag = answer ?? (await read()).etag;
    const saved = { ...over, ...texts, etag };
    form.rebase(fieldsOf(saved), sent);
    setBase((was) => ({ ...was, group: saved }));
    setConflict(undefined);
    toast({ title: "Saved" });
    await readAgain();
  };
  /** Saves, or shows the conflict. */
  const trySave = async (values: Values, form: GroupFields, over: Group) => {
    try {
      await save(values, form, over);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "stale") throw error;
      const theirs = await client.fetchQuery({ ...groupQuery(slug, String(group.teamId)), staleTime: 0 });
      await client.prefetchQuery(lastChangeQuery(slug, theirs));
      if (await conflictDialog.loadOrTell()) setConflict({ values, form, theirs });
    }
  };
  return (
    <>
      <GroupForm
        key={base.edition}
        isNew={false}
        readOnly={!canWrite}
        fields={fieldsOf(base.group)}
        onSave={(values, form) => trySave(values, form, base.group)}
        onDirty={onDirty}
        {...form}
      />
      {conflict && (
        <EditConflict
          base={base.group}
          mine={conflict.form.now().values}
          theirs={conflict.theirs}
          onClose={() => setConflict(undefined)}
          onReload={() => {
            setConflict(undefined);
            reload(conflict.theirs);
          }}
          onOverwrite={() => trySave(conflict.values, conflict.form, conflict.theirs)}
        />
      )}
    </>
  );
}

function fieldsOf({ providedId, name, mapping, properties }: Group) {
  return { user_group_id: providedId, name, mapping, properties: properties ?? "null" };
}

/** The version in an ETag such as "3-2". */
function versionOf(etag: string): number {
  return Number(/-(\d+)"$/.exec(etag)?.[1]);
}

"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { z } from "zod";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { EditConflict } from "@/components/groups/edit-conflict";
import { type Form, GroupForm } from "@/components/groups/group-form";
import { useCanWrite } from "@/components/members/use-member";
import { toast } from "@/components/ui/toast";
import { ApiError } from "@/lib/api-client";
import type { Group } from "@/lib/groups/queries";
import { groupQuery, groupsKey, updateGroup } from "@/lib/groups/queries";
import type { groupForm } from "@/lib/groups/schema";

type Values = z.output<typeof groupForm>;

interface Conflict {
  values: Values;
  form: Form;
  /** the group as somebody else has made it */
  theirs: Group;
}

/** The fields of a group under edit: what is saved replaces what was read, and nothing newer. */
export function EditGroup({ group }: { group: Group }) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const client = useQueryClient();
  // What is being edited stays what it was when editing began, whatever is read meanwhile.
  const [base, setBase] = useState({ group, edition: 0 });
  const [isDirty, setDirty] = useState(false);
  const [conflict, setConflict] = useState<Conflict>();
  const reload = (theirs: Group) => setBase({ group: theirs, edition: base.edition + 1 });
  if (!isDirty && !conflict && group.etag !== base.group.etag) reload(group);

  const save = async (values: Values, form: Form, etag: string) => {
    const changed = Object.keys(form.formState.dirtyFields) as (keyof Values)[];
    const fields = Object.fromEntries(changed.map((name) => [name, values[name]]));
    const saved = await updateGroup(slug, etag, { ...fields, user_group_id: group.providedId });
    setBase({ ...base, group: { ...base.group, ...form.getValues(), etag: saved } });
    form.reset(form.getValues());
    setConflict(undefined);
    toast({ title: "Saved" });
    await client.invalidateQueries({ queryKey: groupsKey(slug) });
  };
  const onSave = async (values: Values, form: Form) => {
    try {
      await save(values, form, base.group.etag);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "stale") throw error;
      const theirs = await client.fetchQuery({ ...groupQuery(slug, String(group.teamId)), staleTime: 0 });
      setConflict({ values, form, theirs });
    }
  };
  return (
    <>
      <GroupForm
        key={base.edition}
        isNew={false}
        readOnly={!canWrite}
        fields={fieldsOf(base.group)}
        onSave={onSave}
        onDirty={useCallback((dirty: boolean) => setDirty(dirty), [])}
      />
      {conflict && (
        <EditConflict
          base={base.group}
          mine={conflict.form.getValues()}
          theirs={conflict.theirs}
          onClose={() => setConflict(undefined)}
          onReload={() => {
            setConflict(undefined);
            reload(conflict.theirs);
          }}
          onOverwrite={() => save(conflict.values, conflict.form, conflict.theirs.etag)}
        />
      )}
    </>
  );
}

function fieldsOf({ providedId, name, mapping, properties }: Group) {
  return { user_group_id: providedId, name, mapping, properties: properties ?? "null" };
}

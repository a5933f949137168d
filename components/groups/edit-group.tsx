import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  type Choices,
  changesOf,
  collisionKey,
  type GroupTexts,
  hasChanges,
  mergeGroup,
  requestFor,
  textsOf,
} from "@/components/groups/group-changes";
import { GroupForm } from "@/components/groups/group-form";
import type { GroupFields, Values } from "@/components/groups/use-group-fields";
import { OnRowOpen } from "@/components/json-editor/use-row-edits";
import { settle } from "@/components/settle";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import { ApiError } from "@/lib/browser/api-client";
import { lastChangesQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";
import { askToUpdateGroup, fetchGroup } from "@/lib/groups/queries";
import { isCollision, type Versions } from "@/lib/json/merge-members";

const conflictDialog = onDemand(() => import("@/components/groups/edit-conflict"));
const EditConflict = conflictDialog.part("EditConflict");

interface Conflict {
  values: Values;
  form: GroupFields;
  versions: Versions<GroupTexts>;
  /** the group as others saved it */
  theirs: Group;
}

interface EditGroupProps {
  group: Group;
  isDirty: boolean;
  onDirty: (dirty: boolean) => void;
  /** brings the fields into view */
  onWrong: () => Promise<unknown>;
  barPlace: Element | null;
}

const NO_CHOICES: Choices = new Map();

/** Edits a group. Saving merges into what others saved meanwhile, and asks about members that both changed. */
export function EditGroup({ group, isDirty, onDirty, ...form }: EditGroupProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const client = useQueryClient();
  const readAgain = useReadGroups();
  // A refetch must not change the fields while they are edited.
  const [known, setKnown] = useState({ group, edition: 0 });
  const [conflict, showConflict, endConflict] = useOpen<Conflict>(conflictDialog);
  const [isRowOpen, setRowOpen] = useState(false);
  const isNewer = versionOf(group.etag) > versionOf(known.group.etag);
  if (isNewer && !isDirty && !isRowOpen && !conflict) setKnown({ group, edition: known.edition + 1 });

  const ask = async (conflict: Conflict) => {
    await client.prefetchQuery(lastChangesQuery(slug, conflict.theirs));
    await showConflict(conflict);
  };
  /** Saves over a version or a newer one; anything typed in the meantime stays unsaved. */
  const save = async (values: Values, form: GroupFields, over: Group, choices = NO_CHOICES) => {
    const { saved, values: sent } = form.now();
    const properties = values.properties?.text ?? null;
    const [base, mine] = [textsOf(saved), textsOf({ name: values.name, mapping: values.mapping.text, properties })];
    let [theirs, isSent] = [over, false];
    for (;;) {
      const versions = { base, mine, theirs: textsOf(theirs) };
      const isOpen = changesOf(versions).some((one) => isCollision(one) && !choices.has(collisionKey(one)));
      if (isOpen) return ask({ values, form, versions, theirs });
      try {
        const saved = await saveOver(slug, theirs, mergeGroup(versions, choices));
        [theirs, isSent] = [saved, saved !== theirs];
        break;
      } catch (error) {
        if (!(error instanceof ApiError) || !["stale", "renamed"].includes(error.code)) throw error;
        const newest = await fetchGroup(slug, String(group.teamId));
        if (newest.etag === theirs.etag) throw error;
        theirs = newest;
      }
    }
    form.rebase(fieldsOf(theirs), sent);
    setKnown((was) => ({ ...was, group: theirs }));
    endConflict();
    toast({ title: isSent ? "Saved" : "No changes left to save" });
    await readAgain();
  };
  return (
    <OnRowOpen value={setRowOpen}>
      <GroupForm
        key={known.edition}
        isNew={false}
        readOnly={!canWrite}
        fields={fieldsOf(known.group)}
        onSave={(values, form) => save(values, form, isNewer ? group : known.group)}
        onDirty={onDirty}
        {...form}
      />
      {conflict && (
        <EditConflict
          key={conflict.theirs.etag}
          group={conflict.theirs}
          versions={conflict.versions}
          onClose={endConflict}
          onSave={(choices) => save(conflict.values, conflict.form, conflict.theirs, choices)}
        />
      )}
    </OnRowOpen>
  );
}

/** Saves a merge over the version that it was made with. */
async function saveOver(slug: string, was: Group, merged: GroupTexts): Promise<Group> {
  const base = textsOf(was);
  const { method, fields } = requestFor(base, merged);
  if (Object.keys(fields).length === 0) return was;
  const read = () => fetchGroup(slug, String(was.teamId));
  const { answer } = await settle({
    act: () => askToUpdateGroup(slug, was.etag, { ...fields, user_group_id: was.providedId }, method),
    wasDone: async () => hasChanges({ base, mine: merged, theirs: textsOf(await read()) }),
    undone: "The group has not changed, and your changes are still here. Save again.",
  });
  return answer === undefined ? read() : { ...was, ...merged, etag: answer };
}

function fieldsOf({ providedId, name, mapping, properties }: Group) {
  return { user_group_id: providedId, name, mapping, properties: properties ?? "null" };
}

/** The version in an ETag such as "3-2". */
function versionOf(etag: string): number {
  return Number(/-(\d+)"$/.exec(etag)?.[1]);
}

"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { Breadcrumb } from "@/components/breadcrumb";
import { Failure } from "@/components/failure";
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
import type { GroupDialog } from "@/components/groups/group-dialogs";
import { GroupForm } from "@/components/groups/group-form";
import { Deleted, GroupHeader, NotServed } from "@/components/groups/group-header";
import { TokenBar } from "@/components/groups/token-bar";
import type { GroupFields, Values } from "@/components/groups/use-group-fields";
import { useShownToken } from "@/components/groups/use-shown-token";
import { OnRowOpen } from "@/components/json-editor/use-row-edits";
import { NotFound } from "@/components/not-found";
import { PageHeader } from "@/components/page-header";
import { PageTitle } from "@/components/page-title";
import { part } from "@/components/part";
import { settle } from "@/components/settle";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { toast } from "@/components/ui/toast";
import { useEnvironmentName, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useReadGroups } from "@/components/use-read-groups";
import { activityListQuery } from "@/lib/audit/queries";
import { ApiError } from "@/lib/browser/api-client";
import { cn } from "@/lib/browser/class-name";
import { lastChangeQuery } from "@/lib/groups/change-queries";
import { askToUpdateGroup, fetchGroup, type Group, groupQuery, versionOf } from "@/lib/groups/queries";
import { isCollision, type Versions } from "@/lib/json/merge-members";

export function GroupPage() {
  const slug = useEnvironmentSlug();
  const { teamId } = useParams<{ teamId: string }>();
  const { data, error, refetch } = useQuery(groupQuery(slug, teamId));
  const isGone = error instanceof ApiError && ["not_found", "invalid_fields"].includes(error.code);
  // The page stays if its group was just deleted, with everything typed into it.
  if (data) return <Loaded key={data.teamId} group={data} isGone={isGone} />;
  if (!error) return <Loading />;
  if (isGone) return <Missing />;
  return (
    <>
      <PageHeader title="User group" />
      <Failure title="The user group could not be loaded" error={error} onRetry={refetch} />
    </>
  );
}

const dialogs = onDemand(() => import("@/components/groups/group-dialogs"));
const GroupDialogs = dialogs.part("GroupDialogs");
const LOADING = <Skeleton className="h-52 rounded-lg" />;
const EmbedPanel = part(async () => (await import("@/components/groups/embed-panel")).EmbedPanel, LOADING);
const ActivityList = part(async () => (await import("@/components/activity/activity-list")).ActivityList, LOADING);

const TABS = ["details", "embed", "history"] as const;

function Loaded({ group, isGone }: { group: Group; isGone: boolean }) {
  const { teamId, name } = group;
  const slug = useEnvironmentSlug();
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("details"));
  const [open, show, close] = useOpen<GroupDialog>(dialogs);
  const [isDirty, setDirty] = useState(false);
  const [foot, setFoot] = useState<Element | null>(null);
  const token = useShownToken(group);
  const { data: entries } = useQuery(activityListQuery(slug, { team_id: String(teamId) }));
  return (
    <div
      className={cn(
        "flex min-h-[calc(100dvh-88px)] flex-col wide:min-h-[calc(100dvh-104px)]",
        !isDirty && "max-sm:pb-28",
      )}
    >
      <Breadcrumb inGroups here={name} />
      <GroupHeader group={group} screen={tab === "details" ? name : `${name}, ${tab}`} onOpen={show} />
      {isGone ? <Deleted /> : <NotServed group={group} onOpen={show} />}
      <TokenBar
        group={group}
        token={token}
        onRotate={() => show("rotate")}
        onEndOverlap={() => show("end overlap")}
        isEmbed={tab === "embed"}
        isCovered={isDirty}
      />
      <div className="pt-4 pb-6">
        <Tabs
          label="User group"
          value={tab}
          onChange={(next) => void setTab(next as (typeof TABS)[number])}
          tabs={[
            {
              value: "details",
              label: (
                <span>
                  Properties<span className="max-sm:sr-only"> and mapping</span>
                </span>
              ),
              isKept: isDirty,
              panel: (
                <EditGroup
                  group={group}
                  isDirty={isDirty}
                  onDirty={setDirty}
                  onWrong={() => setTab("details")}
                  barPlace={foot}
                />
              ),
            },
            { value: "embed", label: "Embed", panel: <EmbedPanel group={group} token={token} /> },
            {
              value: "history",
              label: "History",
              count: entries && `${entries.entries.length}${entries.nextCursor ? "+" : ""}`,
              panel: <ActivityList teamId={teamId} />,
            },
          ]}
        />
      </div>
      <div ref={setFoot} className="contents" />
      {open && <GroupDialogs group={group} open={open} onClose={close} />}
    </div>
  );
}

function Missing() {
  const environment = useEnvironmentName();
  return (
    <NotFound>No such user group in {environment}. It may have been deleted or belong to another environment.</NotFound>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the user group">
      <PageTitle screen="User group" />
      <h1 className="sr-only">User group</h1>
      <Skeleton className="mb-6 h-6 w-56" />
      <Skeleton className="mb-18 h-28 rounded-xl" />
      {LOADING}
    </div>
  );
}

const conflictDialog = onDemand(() => import("@/components/groups/edit-conflict"));
const EditConflict = conflictDialog.part("EditConflict");

type Sent = ReturnType<GroupFields["now"]>["values"];

interface Conflict {
  values: Values;
  /** the fields when they were sent */
  sent: Sent;
  form: GroupFields;
  versions: Versions<GroupTexts>;
  /** the group as others saved it */
  theirs: Group;
}

interface Saving extends Pick<Conflict, "values" | "form"> {
  /** absent at the first attempt */
  sent?: Sent;
  over: Group;
  choices?: Choices;
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
function EditGroup({ group, isDirty, onDirty, ...form }: EditGroupProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const client = useQueryClient();
  const readAgain = useReadGroups();
  // A refetch must not change the fields while they are edited.
  const [known, setKnown] = useState(group);
  const [conflict, showConflict, endConflict] = useOpen<Conflict>(conflictDialog);
  const [isRowOpen, setRowOpen] = useState(false);
  // A conflict's dialog can be left while it saves.
  const [isSettling, setSettling] = useState(false);
  const isNewer = versionOf(group.etag) > versionOf(known.etag);
  if (isNewer && !isDirty && !isRowOpen && !conflict && !isSettling) setKnown(group);

  /**
   * Saves over this version or a newer one; anything typed in the meantime stays unsaved.
   * @throws when others saved again after the choices of a conflict
   */
  const saveMerged = async ({ values, form, sent = form.now().values, over, choices = NO_CHOICES }: Saving) => {
    const { saved } = form.now();
    const properties = values.properties?.text ?? null;
    const [base, mine] = [textsOf(saved), textsOf({ name: values.name, mapping: values.mapping.text, properties })];
    let [theirs, isSent] = [over, false];
    for (;;) {
      const versions = { base, mine, theirs: textsOf(theirs) };
      const isOpen = changesOf(versions).some((one) => isCollision(one) && !choices.has(collisionKey(one)));
      if (isOpen) {
        // For the title of the conflict, which names who saved last.
        await client.prefetchQuery(lastChangeQuery(slug, theirs));
        await showConflict({ values, sent, form, versions, theirs });
        if (choices !== NO_CHOICES) throw new Error(CHANGED_AGAIN);
        return;
      }
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
    setKnown(theirs);
    endConflict();
    toast({ title: isSent ? "Saved" : "No changes left to save" });
    await readAgain();
  };
  const save = async (saving: Saving) => {
    setSettling(true);
    await saveMerged(saving).finally(() => setSettling(false));
  };
  return (
    <OnRowOpen value={setRowOpen}>
      <GroupForm
        isNew={false}
        readOnly={!canWrite}
        isSettling={isSettling}
        fields={fieldsOf(known)}
        onSave={(values, form) => save({ values, form, over: isNewer ? group : known })}
        onDirty={onDirty}
        {...form}
      />
      {conflict && (
        <EditConflict
          key={conflict.theirs.etag}
          group={conflict.theirs}
          versions={conflict.versions}
          onClose={endConflict}
          onSave={(choices) => save({ ...conflict, over: conflict.theirs, choices })}
        />
      )}
    </OnRowOpen>
  );
}

const CHANGED_AGAIN = "This group was saved again in the meantime. Open its page to choose what to keep.";

/** Saves a merge over the version that it was made with. */
async function saveOver(slug: string, was: Group, merged: GroupTexts): Promise<Group> {
  const base = textsOf(was);
  const { method, fields } = requestFor(base, merged);
  if (Object.keys(fields).length === 0) return was;
  const read = () => fetchGroup(slug, String(was.teamId));
  const { answer } = await settle({
    act: () => askToUpdateGroup(slug, was.etag, { ...fields, user_group_id: was.providedId }, method),
    wasDone: async () => hasChanges({ base, mine: merged, theirs: textsOf(await read()) }),
    failed: "Nothing was saved",
  });
  return answer === undefined ? read() : { ...was, ...merged, etag: answer };
}

function fieldsOf({ providedId, name, mapping, properties }: Group) {
  return { user_group_id: providedId, name, mapping, properties: properties ?? "null" };
}

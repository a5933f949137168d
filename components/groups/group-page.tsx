"use client";

import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { Breadcrumb } from "@/components/breadcrumb";
import { Failure } from "@/components/failure";
import { EditGroup } from "@/components/groups/edit-group";
import { useEmbed } from "@/components/groups/embed-formats";
import type { GroupDialog } from "@/components/groups/group-dialogs";
import { GroupHeader, NotServed } from "@/components/groups/group-header";
import { TokenBar } from "@/components/groups/token-bar";
import { useShownToken } from "@/components/groups/use-shown-token";
import { NotFound } from "@/components/not-found";
import { PageHeader } from "@/components/page-header";
import { PageTitle } from "@/components/page-title";
import { part } from "@/components/part";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { activityListQuery } from "@/lib/audit/queries";
import { ApiError } from "@/lib/browser/api-client";
import { cn } from "@/lib/browser/class-name";
import type { Group } from "@/lib/groups/queries";
import { groupQuery } from "@/lib/groups/queries";

export function GroupPage() {
  const slug = useEnvironmentSlug();
  const { teamId } = useParams<{ teamId: string }>();
  const { data, error, refetch } = useQuery(groupQuery(slug, teamId));
  if (data) return <Loaded key={data.teamId} group={data} />;
  if (!error) return <Loading />;
  if (error instanceof ApiError && ["not_found", "invalid_fields"].includes(error.code)) return <Missing />;
  return (
    <>
      <PageHeader title="User group" />
      <Failure title="The user group could not be loaded" error={error} onRetry={() => void refetch()} />
    </>
  );
}

const dialogs = onDemand(() => import("@/components/groups/group-dialogs"));
const GroupDialogs = dialogs.part("GroupDialogs");
const LOADING = <Skeleton className="h-52 rounded-lg" />;
const EmbedPanel = part(async () => (await import("@/components/groups/embed-panel")).EmbedPanel, LOADING);
const ActivityList = part(async () => (await import("@/components/activity/activity-list")).ActivityList, LOADING);

const TABS = ["details", "embed", "history"] as const;

function Loaded({ group }: { group: Group }) {
  const { teamId, name } = group;
  const slug = useEnvironmentSlug();
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("details"));
  const [open, show, close] = useOpen<GroupDialog>(dialogs);
  const [isDirty, setDirty] = useState(false);
  const [foot, setFoot] = useState<Element | null>(null);
  const token = useShownToken(group);
  const embed = useEmbed(group);
  const { data: entries } = useQuery(activityListQuery(slug, { teamId: String(teamId) }));
  return (
    <div
      className={cn(
        "flex min-h-[calc(100dvh-88px)] flex-col wide:min-h-[calc(100dvh-104px)]",
        !isDirty && "max-sm:pb-28",
      )}
    >
      <Breadcrumb inGroups here={name} />
      <GroupHeader group={group} screen={tab === "details" ? name : `${name}, ${tab}`} onOpen={show} />
      <NotServed group={group} onOpen={show} />
      <TokenBar
        {...{ group, token, embed }}
        onRotate={() => show("rotate")}
        onEndOverlap={() => show("end overlap")}
        onEmbed={tab === "embed" ? undefined : () => void setTab("embed")}
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
            {
              value: "embed",
              label: "Embed",
              panel: <EmbedPanel group={group} token={token} embed={embed} />,
            },
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
      {open && <GroupDialogs group={group} open={open} onOpen={show} onClose={close} />}
    </div>
  );
}

function Missing() {
  const environment = useEnvironment();
  return (
    <NotFound>
      No such user group in {environment?.name ?? "this environment"}. It may have been deleted or belong to another
      environment.
    </NotFound>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading the user group">
      <PageTitle screen="User group" />
      <h1 className="sr-only">User group</h1>
      <div className="flex h-7 items-center gap-3 pb-4">
        <Skeleton className="h-6 w-56" />
        <Skeleton className="h-5 w-40" />
      </div>
      <Skeleton className="mt-4 h-28 rounded-xl" />
      <div className="h-14 border-border border-b" />
      <div className="grid gap-6 pt-5 xl:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <Skeleton className="h-52 rounded-lg" />
        <Skeleton className="h-36 rounded-lg" />
      </div>
    </div>
  );
}

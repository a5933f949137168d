"use client";

import { useQuery } from "@tanstack/react-query";
import { CirclePause, CirclePlay, Ellipsis, RotateCw, Trash2 } from "lucide-react";
import { useParams, useRouter } from "next/navigation";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useState } from "react";
import { ActivityList } from "@/components/activity/activity-list";
import { CopyButton } from "@/components/copy-button";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { AccessCard } from "@/components/groups/access-card";
import { AccessEnd } from "@/components/groups/access-end";
import { ChangeState } from "@/components/groups/change-state";
import { DeleteGroups } from "@/components/groups/delete-groups";
import { EditGroup } from "@/components/groups/edit-group";
import { EmbedPanel } from "@/components/groups/embed-panel";
import { RotateToken } from "@/components/groups/rotate-token";
import { otherState, StateMark } from "@/components/groups/state-mark";
import { TokenCard } from "@/components/groups/token-card";
import { useShownToken } from "@/components/groups/use-shown-token";
import { useCanWrite } from "@/components/members/use-member";
import { NotFound } from "@/components/not-found";
import { PageHeader } from "@/components/page-header";
import { PageTitle } from "@/components/page-title";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem } from "@/components/ui/menu";
import { Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { ApiError } from "@/lib/browser/api-client";
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

const TABS = ["details", "embed", "history"] as const;

function Loaded({ group }: { group: Group }) {
  const { teamId, name, providedId, state } = group;
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const router = useRouter();
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("details"));
  const [open, setOpen] = useState<"rotate" | "delete" | "suspended" | "active" | "end">();
  const [isDirty, setDirty] = useState(false);
  const [foot, setFoot] = useState<Element | null>(null);
  const token = useShownToken(group);
  const other = otherState(group);
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHeader
        title={name}
        screen={tab === "details" ? name : `${name}, ${tab}`}
        note={
          <span className="flex min-w-0 flex-wrap items-center gap-x-1">
            <span className="break-all font-mono text-xs">{providedId}</span>
            <CopyButton what="id" text={providedId} />
            <span className="ml-2">team {teamId}</span>
            <StateMark state={state} className="ml-2" />
          </span>
        }
        actions={
          canWrite && (
            <>
              <Button onClick={() => setOpen("rotate")}>
                <RotateCw aria-hidden />
                Rotate token…
              </Button>
              <Menu
                align="end"
                button={{ size: "icon", "aria-label": "More actions", children: <Ellipsis aria-hidden /> }}
              >
                <MenuItem onClick={() => setOpen(other)}>
                  {other === "suspended" ? <CirclePause aria-hidden /> : <CirclePlay aria-hidden />}
                  {other === "suspended" ? "Suspend…" : "Resume…"}
                </MenuItem>
                <MenuItem danger onClick={() => setOpen("delete")}>
                  <Trash2 aria-hidden />
                  Delete…
                </MenuItem>
              </Menu>
            </>
          )
        }
      />
      <Tabs
        label="User group"
        value={tab}
        onChange={(next) => void setTab(next as (typeof TABS)[number])}
        tabs={[
          {
            value: "details",
            label: "Details",
            isKept: isDirty,
            panel: (
              <div className="flex gap-8 max-xl:flex-col-reverse">
                <div className="min-w-0 flex-1">
                  <EditGroup
                    group={group}
                    isDirty={isDirty}
                    onDirty={setDirty}
                    onWrong={() => setTab("details")}
                    barPlace={foot}
                  />
                </div>
                <div className="flex w-full shrink-0 flex-col gap-4 xl:w-90">
                  <TokenCard group={group} token={token} />
                  <AccessCard group={group} onState={setOpen} onEnd={() => setOpen("end")} />
                </div>
              </div>
            ),
          },
          { value: "embed", label: "Embed", panel: <EmbedPanel group={group} token={token} /> },
          { value: "history", label: "History", panel: <ActivityList teamId={teamId} /> },
        ]}
      />
      <div ref={setFoot} className="contents" />
      {open === "rotate" && <RotateToken group={group} onClose={close} />}
      {(open === "suspended" || open === "active") && <ChangeState group={group} to={open} onClose={close} />}
      {open === "end" && <AccessEnd group={group} onClose={close} />}
      {open === "delete" && (
        <DeleteGroups
          groups={[group]}
          onClose={close}
          onSuspend={other === "suspended" ? () => setOpen("suspended") : undefined}
          onDeleted={() => router.push(`/${slug}/groups`)}
        />
      )}
    </>
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
      <div className="pb-4">
        <div className="flex h-control items-center gap-4">
          <Skeleton className="h-6 w-56" />
          <Skeleton className="h-4 w-40" />
        </div>
      </div>
      <div className="h-10 border-border border-b" />
      <div className="flex gap-8 pt-6 max-xl:flex-col-reverse">
        <div className="flex min-w-0 max-w-3xl flex-1 flex-col gap-6">
          <Skeleton className="h-14" />
          <Skeleton className="h-44" />
          <Skeleton className="h-44" />
        </div>
        <Skeleton className="h-76 w-full shrink-0 xl:w-90" />
      </div>
    </div>
  );
}

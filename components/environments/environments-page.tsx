"use client";

import { useQuery } from "@tanstack/react-query";
import { Download, Ellipsis, Pencil, Plus, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { countOf } from "@/components/count";
import { download } from "@/components/download";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { Shares } from "@/components/environments/shares";
import { Failure, withFailureToast } from "@/components/failure";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Button } from "@/components/ui/button";
import { Menu, MenuItems } from "@/components/ui/menu";
import { onDemand, together, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useHasRole } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { environmentsQuery } from "@/lib/environments/queries";
import type { EnvironmentDetails } from "@/lib/environments/schema";
import { fetchSettings } from "@/lib/settings/queries";

const creation = onDemand(() => import("@/components/environments/new-environment"));
const NewEnvironment = creation.part("NewEnvironment");

export function EnvironmentsPage() {
  const { data, error, refetch } = useQuery(environmentsQuery(useEnvironmentSlug()));
  const isOwner = useHasRole("owner");
  const [adding, add, close] = useOpen<true>(creation);
  return (
    <>
      <PageHeader
        title="Environments"
        note={data?.environments.length}
        actions={
          isOwner && (
            <Button icon={Plus} variant="primary" onClick={() => add(true)}>
              Create environment
            </Button>
          )
        }
      >
        Each has its own groups, tokens, rules and keys.
      </PageHeader>
      {error && !data ? (
        <Failure title="The environments could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <EnvironmentCards environments={data?.environments} />
      )}
      {adding && <NewEnvironment onClose={close} />}
    </>
  );
}

const comparison = onDemand(() => import("@/components/environments/compare-settings"));
const renaming = onDemand(() => import("@/components/environments/rename-environment"));
const deletion = onDemand(() => import("@/components/environments/delete-environment"));
const application = onDemand(() => import("@/components/environments/apply-settings"));
const menuDialogs = together(renaming, deletion, application);
const DIALOGS = {
  compare: comparison.part("CompareSettings"),
  rename: renaming.part("RenameEnvironment"),
  apply: application.part("ApplySettings"),
  delete: deletion.part("DeleteEnvironment"),
};

const CARD =
  "relative flex min-w-0 flex-col gap-4 overflow-hidden rounded-xl border border-border bg-raised p-4 pt-4.5 shadow-raised";

interface Open {
  verb: keyof typeof DIALOGS;
  environment: EnvironmentDetails;
}

/** Each environment with how its user groups are used. */
function EnvironmentCards({ environments }: { environments: EnvironmentDetails[] | undefined }) {
  const [open, setOpen] = useState<Open>();
  const Open = open && DIALOGS[open.verb];
  return (
    <>
      <ul
        data-wide
        aria-label="Environments"
        aria-busy={!environments}
        className="grid grid-cols-1 gap-4 lg:grid-cols-2"
      >
        {environments?.map((environment) => (
          <EnvironmentCard
            key={environment.slug}
            environment={environment}
            isOnly={environments.length === 1}
            onOpen={setOpen}
          />
        )) ?? (
          <li>
            <Skeleton className="h-44 rounded-xl" />
          </li>
        )}
      </ul>
      {Open && <Open environment={open.environment} all={environments ?? []} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Downloads an environment's settings. */
function exportSettings({ slug }: EnvironmentDetails) {
  return withFailureToast("Nothing was exported", async () => {
    const [text, { formatJson }] = await Promise.all([fetchSettings(slug), import("@/lib/json/format")]);
    download(`${slug}-settings.json`, `${formatJson(text)}\n`);
  });
}

interface EnvironmentCardProps {
  environment: EnvironmentDetails;
  isOnly: boolean;
  onOpen: (open: Open) => void;
}

function EnvironmentCard({ environment, isOnly, onOpen }: EnvironmentCardProps) {
  const isAdmin = useHasRole("admin");
  const isOwner = useHasRole("owner");
  const { slug, name, tag, groups, apiTokens } = environment;
  const compare = async () => (await comparison.loadOrTell()) && onOpen({ verb: "compare", environment });
  return (
    <li className={CARD}>
      <div
        aria-hidden
        data-mark={tag}
        className={cn("absolute inset-x-0 top-0 h-0.5", tag === "Customer" ? "bg-production" : "bg-testing")}
      />
      <div className="flex min-w-0 items-center justify-between gap-4">
        <h2 className="flex min-w-0">
          <PageLink href={`/${slug}/groups`} className="flex min-w-0 rounded-sm underline-offset-4 hover:underline">
            <EnvironmentMark environment={environment} />
          </PageLink>
        </h2>
        <span title={slug} className="max-w-1/2 truncate font-mono text-text-muted text-xs">
          {slug}
        </span>
      </div>
      <div className="flex flex-col gap-2.5">
        <p className="text-text-secondary">
          <span className="font-semibold text-text text-xl tabular-nums">{countOf(groups)}</span>{" "}
          {groups.count === 1 && groups.exact ? "user group" : "user groups"}
        </p>
        <Shares slug={slug} />
      </div>
      <div className="-mx-4 mt-auto -mb-4 flex min-h-12 flex-wrap items-center justify-between gap-x-2 gap-y-1 border-border border-t bg-sunken px-4 py-2">
        <PageLink
          href={`/${slug}/settings/api-tokens`}
          className="flex min-h-6 items-center rounded-sm text-text-muted text-xs underline-offset-4 hover:underline"
        >
          {apiTokens === 0 ? "No" : apiTokens} valid {apiTokens === 1 ? "API token" : "API tokens"}
        </PageLink>
        {isAdmin && (
          <div className="ml-auto flex items-center gap-1">
            {!isOnly && (
              <Button size="small" onClick={() => void compare()}>
                Compare with…<span className="sr-only"> {name}</span>
              </Button>
            )}
            <Menu
              align="end"
              needs={menuDialogs}
              button={{ icon: Ellipsis, variant: "ghost", size: "row", "aria-label": `Actions for ${name}` }}
            >
              <MenuItems
                items={[
                  { label: "Rename…", icon: Pencil, run: () => onOpen({ verb: "rename", environment }) },
                  { label: "Export settings", icon: Download, run: () => exportSettings(environment) },
                  { label: "Apply settings…", icon: Upload, run: () => onOpen({ verb: "apply", environment }) },
                  isOwner && {
                    label: "Delete…",
                    icon: Trash2,
                    danger: true,
                    run: () => onOpen({ verb: "delete", environment }),
                  },
                ]}
              />
            </Menu>
          </div>
        )}
      </div>
    </li>
  );
}

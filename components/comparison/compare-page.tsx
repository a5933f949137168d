"use client";

import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, Layers } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { ComparedGroups } from "@/components/comparison/compared-groups";
import { ComparedSettings } from "@/components/comparison/compared-settings";
import { EmptyPanel } from "@/components/empty-panel";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure } from "@/components/failure";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { buttonLook } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { sessionQuery } from "@/lib/members/queries";
import type { SessionAnswer } from "@/lib/members/schema";

const TABS = ["settings", "groups"] as const;
const PARSERS = { with: parseAsString, tab: parseAsStringLiteral(TABS).withDefault("settings") };

export type Environment = SessionAnswer["environments"][number];

/** This environment and the one to compare it with. */
export interface Compared {
  here: Environment;
  there: Environment;
}

/** Two environments side by side: their settings, of which some can be copied, and their groups. */
export function ComparePage() {
  const { data, error, refetch } = useQuery(sessionQuery);
  const slug = useEnvironmentSlug();
  const [{ with: asked, tab }, set] = useQueryStates(PARSERS, { history: "replace" });
  const here = data?.environments.find((one) => one.slug === slug);
  const others = data?.environments.filter((one) => one.slug !== slug) ?? [];
  // What people promote to and from has the other tag.
  const there = others.find((one) => one.slug === asked) ?? others.find(({ tag }) => tag !== here?.tag) ?? others[0];
  return (
    <div className="max-w-238">
      <PageHeader
        title="Compare"
        actions={
          there && (
            <>
              <Select
                label="Compare with"
                value={there.slug}
                onChange={(next) => void set({ with: next })}
                options={others.map(({ slug, name }) => ({ value: slug, label: name }))}
                className="max-w-56"
              />
              <PageLink href={`/${there.slug}/settings/compare?with=${slug}&tab=${tab}`} className={buttonLook()}>
                <ArrowLeftRight aria-hidden />
                Swap
              </PageLink>
            </>
          )
        }
      >
        {here && there
          ? `How ${here.name} differs from ${there.name}. What you choose is copied to ${there.name}.`
          : "How this environment differs from another one."}
      </PageHeader>
      {here && there ? (
        <Tabs
          key={`${here.slug} ${there.slug}`}
          label="What is compared"
          value={tab}
          onChange={(next) => void set({ tab: next as (typeof TABS)[number] })}
          tabs={[
            { value: "settings", label: "Settings", panel: <ComparedSettings here={here} there={there} /> },
            { value: "groups", label: "Groups", panel: <ComparedGroups here={here} there={there} /> },
          ]}
        />
      ) : error ? (
        <Failure title="The environments could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <EmptyPanel
          icon={Layers}
          title="There is only one environment"
          actions={
            <PageLink href={`/${slug}/settings/environments`} className={buttonLook()}>
              Environments
            </PageLink>
          }
        >
          <p>Add another one to compare this one with.</p>
        </EmptyPanel>
      ) : (
        <Skeleton className="h-96 rounded-xl" />
      )}
    </div>
  );
}

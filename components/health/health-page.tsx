"use client";

import { useQuery } from "@tanstack/react-query";
import { Boxes, CircleCheck, ListChecks } from "lucide-react";
import { useEffect, useRef } from "react";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { Findings } from "@/components/health/findings";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { announce } from "@/components/ui/announcer";
import { buttonLook } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { WaitingLine } from "@/components/ui/waiting-line";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import type { FindingsAnswer } from "@/lib/definitions/findings-schema";
import { definitionsQuery, findingsQuery } from "@/lib/definitions/queries";

/** What definitions and a comparison of its groups find in an environment, and ways to mend it. */
export function HealthPage() {
  const environment = useEnvironment();
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(findingsQuery(slug));
  useAnnouncement(data);
  return (
    <div className="max-w-238">
      <PageHeader
        title="Health"
        note={data && <Checked {...data} />}
        actions={
          <PageLink href={`/${slug}/settings/definitions`} className={buttonLook()}>
            Definitions
          </PageLink>
        }
      >
        What is missing, wrong or misspelled in the user groups of {environment?.name ?? "this environment"}.
      </PageHeader>
      <WaitingLine isWaiting={data?.is_current === false} className="sticky top-12 z-20 wide:top-14" />
      {error && data && (
        <div className="pb-5">
          <Notice tone="warning" role="alert" title="The findings could not be read again">
            <p>They may be out of date. {error.message}</p>
          </Notice>
        </div>
      )}
      {data ? (
        <Found answer={data} />
      ) : error ? (
        <Failure title="The findings could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <Placeholder />
      )}
    </div>
  );
}

function Checked({ checked_at: at, is_current: isCurrent }: FindingsAnswer) {
  if (!isCurrent) return "Checking…";
  return (
    at !== null && (
      <>
        Checked <RelativeTime at={at} />
      </>
    )
  );
}

function Found({ answer }: { answer: FindingsAnswer }) {
  const slug = useEnvironmentSlug();
  const { data: definitions } = useQuery(definitionsQuery(slug));
  const { checked_at: at, findings, groups } = answer;
  const isOff = definitions?.enforcement === "off";
  if (at === null) return <Placeholder />;
  if (groups === 0) {
    return (
      <EmptyPanel
        icon={Boxes}
        title="No groups to check yet"
        actions={
          <PageLink href={`/${slug}/groups`} className={buttonLook()}>
            Go to groups
          </PageLink>
        }
      >
        <p>Once there are user groups, this page lists what is missing or wrong in them.</p>
      </EmptyPanel>
    );
  }
  if (findings.length === 0 && isOff) {
    return (
      <EmptyPanel icon={ListChecks} title="Definitions are off" actions={<SuggestLink variant="primary" />}>
        <p>Define what every group must have. Health then shows what’s missing and fixes it in bulk.</p>
      </EmptyPanel>
    );
  }
  if (findings.length === 0) {
    return (
      <EmptyPanel icon={CircleCheck} title="Nothing found">
        <p>{groups === 1 ? "The only user group has" : `All ${inGroups(groups)} have`} what the definitions ask for.</p>
      </EmptyPanel>
    );
  }
  return (
    <div className="flex flex-col gap-8">
      {isOff && (
        <Notice title="Definitions are off" action={<SuggestLink />}>
          <p>With them, values that are missing or wrong are found too.</p>
        </Notice>
      )}
      <Findings answer={answer} />
    </div>
  );
}

function SuggestLink({ variant }: { variant?: "primary" }) {
  return (
    <PageLink href={`/${useEnvironmentSlug()}/settings/definitions`} className={buttonLook({ variant })}>
      Suggest definitions…
    </PageLink>
  );
}

function inGroups(count: number): string {
  return `${count.toLocaleString("en")} user ${count === 1 ? "group" : "groups"}`;
}

/** Of the first check, as of the first answer. */
function Placeholder() {
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="sr-only">
        Checking the groups
      </p>
      <Skeleton className="h-4 w-32" />
      <Skeleton className="h-44 rounded-lg" />
    </div>
  );
}

/** Says what changed while the page is open. */
function useAnnouncement(data: FindingsAnswer | undefined) {
  const count = data?.is_current ? data.findings.length : undefined;
  const last = useRef(count);
  useEffect(() => {
    if (count === undefined) return;
    if (last.current !== undefined && last.current !== count)
      announce(count === 0 ? "Nothing found" : `${count} ${count === 1 ? "finding" : "findings"}`);
    last.current = count;
  }, [count]);
}

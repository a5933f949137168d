"use client";

import { useQuery } from "@tanstack/react-query";
import { Boxes, CircleCheck } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useEffect } from "react";
import { groupsIn } from "@/components/count";
import { Findings } from "@/components/data-model/findings";
import { EmptyPanel } from "@/components/empty-panel";
import { Failure } from "@/components/failure";
import { PageHeader } from "@/components/page-header";
import { part } from "@/components/part";
import { RelativeTime } from "@/components/relative-time";
import { announce } from "@/components/ui/announcer";
import { Button } from "@/components/ui/button";
import { leave } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { Tabs } from "@/components/ui/tabs";
import { WaitingLine } from "@/components/ui/waiting-line";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { FindingsAnswer } from "@/lib/definitions/findings-schema";
import { countProblems, definitionsQuery, findingsQuery } from "@/lib/definitions/queries";

const LOADING = <Skeleton className="h-96 rounded-xl" />;
const Rules = part(async () => (await import("@/components/definitions/rules")).Rules, LOADING);

const TABS = ["problems", "rules"] as const;

/** The rules for an environment's groups, and where groups break them. */
export function DataModelPage() {
  const { data } = useQuery(findingsQuery(useEnvironmentSlug()));
  const [tab, setTab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("problems"));
  return (
    <div className="max-w-238 pb-5">
      <PageHeader
        title="Data model"
        screen={tab === "rules" ? "Data model, rules" : "Data model"}
        note={data && <Checked {...data} />}
      />
      <WaitingLine isWaiting={data?.is_current === false} />
      <Tabs
        label="Data model"
        value={tab}
        onChange={(next) => leave(() => void setTab(next as (typeof TABS)[number]))}
        tabs={[
          {
            value: "problems",
            label: "Problems",
            count: data && countProblems(data).toLocaleString("en"),
            panel: <Problems onRules={() => void setTab("rules")} />,
          },
          { value: "rules", label: "Rules", panel: <Rules /> },
        ]}
      />
    </div>
  );
}

function Checked({ checked_at: at, is_current: isCurrent, groups, days }: FindingsAnswer) {
  const { data: definitions } = useQuery(definitionsQuery(useEnvironmentSlug()));
  if (!isCurrent) return "Checking…";
  if (at === null) return null;
  const wrong = days.at(-1)?.groups ?? 0;
  return (
    <>
      Checked <RelativeTime at={at} />
      {groups > 0 && definitions && definitions.enforcement !== "off" && (
        <>
          {" · "}
          {(groups - wrong).toLocaleString("en")} of {groupsIn(groups)} {groups === 1 ? "follows" : "follow"} every rule
        </>
      )}
    </>
  );
}

function Problems({ onRules }: { onRules: () => void }) {
  const { data, error, refetch } = useQuery(findingsQuery(useEnvironmentSlug()));
  const count = data?.is_current ? countProblems(data) : undefined;
  useEffect(() => {
    if (count !== undefined) announce(`${count} ${count === 1 ? "problem" : "problems"}`);
  }, [count]);
  if (error && !data) {
    return <Failure title="The problems could not be loaded" error={error} onRetry={refetch} />;
  }
  if (!data || data.checked_at === null) return LOADING;
  return (
    <div className="flex flex-col gap-8">
      {error && (
        <Notice tone="warning" role="alert" title="The problems could not be refreshed">
          <p>They may be out of date. {error.message}</p>
        </Notice>
      )}
      <Found answer={data} onRules={onRules} />
    </div>
  );
}

function Found({ answer, onRules }: { answer: FindingsAnswer; onRules: () => void }) {
  const { data: definitions } = useQuery(definitionsQuery(useEnvironmentSlug()));
  const { findings, groups } = answer;
  const isOff = definitions?.enforcement === "off";
  if (groups === 0) {
    return (
      <EmptyPanel icon={Boxes} title="No groups to check yet">
        <p>Once there are user groups, this page lists what is missing or wrong in them.</p>
      </EmptyPanel>
    );
  }
  return (
    <>
      {isOff && (
        <Notice title="Rules are off" action={<Button onClick={onRules}>Go to rules</Button>}>
          <p>Define what every group must have. This page then shows what’s missing and fixes it in bulk.</p>
        </Notice>
      )}
      {findings.length === 0 && !isOff && (
        <EmptyPanel icon={CircleCheck} title="No problems">
          <p>{groups === 1 ? "The only user group follows" : `All ${groupsIn(groups)} follow`} every rule.</p>
        </EmptyPanel>
      )}
      <Findings answer={answer} />
    </>
  );
}

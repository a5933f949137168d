"use client";

import { useId, useState } from "react";
import { fixesOf, hintOf, SECTIONS } from "@/components/groups/finding-words";
import { addressOf } from "@/components/groups/list-state";
import { shareOf } from "@/components/groups/suggestions";
import { FindingTitle } from "@/components/health/finding-title";
import { PageLink } from "@/components/page-link";
import { Button } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import type { FindingsAnswer, HealthFinding } from "@/lib/definitions/findings-schema";
import { ALL_GROUPS } from "@/lib/groups/queries";

const fixing = onDemand(() => import("@/components/health/fix-finding"));
const FixFinding = fixing.part("FixFinding");

/** The service answers no more. */
const MAX_FINDINGS = 500;

/** Findings by what they mean, the most frequent first. */
export function Findings({ answer: { findings, groups } }: { answer: FindingsAnswer }) {
  const [fixed, setFixed] = useState<HealthFinding>();
  const fix = async (finding: HealthFinding) => (await fixing.loadOrTell()) && setFixed(finding);
  return (
    <>
      {SECTIONS.map(({ kinds, ...words }) => {
        const own = findings.filter(({ kind }) => kinds.includes(kind));
        if (own.length === 0) return null;
        return (
          <Section key={words.title} {...words} findings={own} groups={groups} onFix={(finding) => void fix(finding)} />
        );
      })}
      {findings.length >= MAX_FINDINGS && (
        <p className="text-text-muted">There are more: these are the {MAX_FINDINGS} most frequent.</p>
      )}
      {fixed && <FixFinding finding={fixed} groups={groups} onClose={() => setFixed(undefined)} />}
    </>
  );
}

interface SectionProps {
  title: string;
  hint: string;
  findings: HealthFinding[];
  groups: number;
  onFix: (finding: HealthFinding) => void;
}

/** So many before the rest is asked for. */
const FIRST = 8;

function Section({ title, hint, findings, groups, onFix }: SectionProps) {
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? findings : findings.slice(0, FIRST);
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div>
        <h2 id={id} className="font-semibold text-base">
          {title} <span className="font-normal text-text-muted tabular-nums">{findings.length}</span>
        </h2>
        <p className="text-text-muted text-xs">{hint}</p>
      </div>
      <div className="overflow-hidden rounded-lg border border-border">
        {/* biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets. */}
        <ul role="list">
          {shown.map((finding) => (
            <Row key={finding.filter} finding={finding} groups={groups} onFix={onFix} />
          ))}
        </ul>
        {shown.length < findings.length && (
          <Button
            variant="ghost"
            className="h-9 w-full justify-start rounded-none border-border border-t px-3 font-normal -outline-offset-2!"
            onClick={() => setWhole(true)}
          >
            Show all {findings.length}
          </Button>
        )}
      </div>
    </section>
  );
}

interface RowProps extends Pick<SectionProps, "groups" | "onFix"> {
  finding: HealthFinding;
}

function Row({ finding, groups, onFix }: RowProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { filter, kind, count } = finding;
  const hint = hintOf(kind);
  return (
    <li className="relative grid min-h-13 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-border border-b px-3 py-2.5 transition-colors duration-120 [contain-intrinsic-size:auto_53px] [content-visibility:auto] last:border-b-0 hover:bg-hover sm:grid-cols-[minmax(0,1fr)_168px_144px_56px]">
      <div className="min-w-0">
        <PageLink
          href={addressOf(slug, { ...ALL_GROUPS, filters: [filter] })}
          className="line-clamp-3 break-words after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
        >
          <FindingTitle finding={finding} />
        </PageLink>
        {hint && <p className="text-text-muted text-xs">{hint}</p>}
      </div>
      <div className="col-span-full row-start-2 sm:col-span-1 sm:row-start-auto">
        <Share part={count / groups} isMinor={fixesOf(finding).length === 0} />
      </div>
      <p className="col-span-full text-text-secondary text-xs tabular-nums max-sm:flex max-sm:items-baseline max-sm:justify-between sm:col-span-1">
        <span>
          <span className="font-medium text-text text-sm">{count.toLocaleString("en")}</span> of{" "}
          {groups.toLocaleString("en")} {groups === 1 ? "group" : "groups"}
        </span>
        <span className="block text-text-muted">{shareOf(count, groups)}</span>
      </p>
      {canWrite && fixesOf(finding).length > 0 && (
        <Button
          size="small"
          className="relative justify-self-end max-sm:col-start-2 max-sm:row-start-1"
          onClick={() => onFix(finding)}
        >
          Fix…
          <span className="sr-only">
            {" "}
            <FindingTitle finding={finding} />
          </span>
        </Button>
      )}
    </li>
  );
}

const WIDTH = 1_000;
/** So that one group in a million still shows. */
const LEAST = 12;

/** The share of all groups, as a bar. */
function Share({ part, isMinor }: { part: number; isMinor: boolean }) {
  const width = Math.max(LEAST, Math.min(1, part) * WIDTH);
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} 6`}
      preserveAspectRatio="none"
      className="h-1.5 w-full overflow-hidden rounded-full bg-pressed forced-colors:border"
    >
      <rect
        width={width}
        height={6}
        fill="currentColor"
        className={cn(isMinor ? "text-idle" : "text-spark", "forced-colors:text-[CanvasText]")}
      />
    </svg>
  );
}

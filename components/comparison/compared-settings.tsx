"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { Compared } from "@/components/comparison/compare-page";
import { ComparedPartRow } from "@/components/comparison/compared-part-row";
import { isAlike } from "@/components/comparison/part-words";
import { Failure } from "@/components/failure";
import { useCanWrite } from "@/components/members/use-member";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { type ComparedPart, comparedPartsQuery } from "@/lib/comparison/queries";

const copying = onDemand(() => import("@/components/comparison/copy-parts"));
const CopyParts = copying.part("CopyParts");

/** The settings of two environments, and what to copy of them. */
export function ComparedSettings({ here, there }: Compared) {
  const { data, error, refetch } = useQuery(comparedPartsQuery(here.slug, there.slug));
  const canWrite = useCanWrite();
  const id = useId();
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const [copied, setCopied] = useState<ComparedPart[]>();
  if (error && !data) {
    return <Failure title="The settings could not be compared" error={error} onRetry={() => void refetch()} />;
  }
  if (!data) return <Skeleton className="h-96 rounded-xl" />;
  const offered = data.filter((part) => part.tag !== null && !isAlike(part));
  const chosen = offered.filter(({ name }) => names.has(name));
  const choose = (isOn: boolean, ...parts: ComparedPart[]) =>
    setNames((now) => {
      const next = new Set(now);
      for (const { name } of parts) isOn ? next.add(name) : next.delete(name);
      return next;
    });
  return (
    <div className="flex flex-col gap-4">
      {canWrite && offered.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <label htmlFor={id} className="flex items-center gap-2.5 px-4">
            <Checkbox
              id={id}
              checked={chosen.length === offered.length}
              indeterminate={chosen.length > 0 && chosen.length < offered.length}
              onChange={(event) => choose(event.target.checked, ...offered)}
            />
            All that can be copied
          </label>
          <Button
            variant="primary"
            disabled={chosen.length === 0}
            onClick={async () => {
              if (await copying.loadOrTell()) setCopied(chosen);
            }}
            className="max-w-full"
          >
            <span className="truncate">Copy to {there.name}…</span>
          </Button>
        </div>
      )}
      {offered.length === 0 && (
        <p role="status" className="text-text-secondary">
          Nothing to copy: {there.name} has all that {here.name} has.
        </p>
      )}
      <ul aria-label="Settings" className="overflow-hidden rounded-xl border border-border">
        {data.map((part) => (
          <ComparedPartRow
            key={part.name}
            part={part}
            here={here}
            there={there}
            isChosen={names.has(part.name)}
            onChoose={canWrite && offered.includes(part) ? (isOn) => choose(isOn, part) : undefined}
          />
        ))}
      </ul>
      {!canWrite && <p className="text-text-muted text-xs">Owners and admins see webhooks too, and can copy.</p>}
      {copied && (
        <CopyParts
          here={here}
          there={there}
          parts={copied}
          onClose={() => setCopied(undefined)}
          onCopied={() => setNames(new Set())}
        />
      )}
    </div>
  );
}

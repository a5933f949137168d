"use client";

import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useEnvironment, useEnvironmentSlug } from "@/components/environments/use-environment";
import { EmbedCode } from "@/components/groups/embed-code";
import type { Embed } from "@/components/groups/embed-formats";
import { EmbedPreview } from "@/components/groups/embed-preview";
import { isTokenSeen } from "@/components/groups/group-use";
import { MASKED_TOKEN, type ShownToken } from "@/components/groups/use-shown-token";
import { useCanWrite } from "@/components/members/use-member";
import { RelativeTime } from "@/components/relative-time";
import { CallSnippets } from "@/components/snippets/call-snippets";
import { UseMark } from "@/components/ui/use-mark";
import { cn } from "@/lib/browser/class-name";
import { type Group, groupQuery } from "@/lib/groups/queries";
import { LANGUAGE_IDS } from "@/lib/snippets/snippet";

interface EmbedPanelProps {
  group: Group;
  token: ShownToken;
  embed: Embed;
}

/** How to embed a dashboard for the group: what to copy, where to paste it, and whether it works. */
export function EmbedPanel({ group, token, embed }: EmbedPanelProps) {
  const id = useId();
  const canWrite = useCanWrite();
  const environment = useEnvironment();
  return (
    <div className="flex flex-col gap-8">
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1.25fr)_minmax(0,1fr)]">
        <ol className="self-start rounded-xl border border-border">
          <Step number={1}>
            {canWrite ? (
              <EmbedCode title="Copy this" embed={embed} token={token.value ?? MASKED_TOKEN} fetchToken={token.fetch} />
            ) : (
              <>
                <h2 className="font-semibold">Copy the embed configuration</h2>
                <p className="text-text-secondary">
                  It contains the token, which viewers cannot see. Ask an owner for another role.
                </p>
              </>
            )}
          </Step>
          <Step number={2}>
            <h2 className="font-semibold">Paste it where the dashboard is shown</h2>
            <p className="text-text-secondary">
              Or let your backend fetch it on each page view:{" "}
              <a href={`#${id}`} className="rounded-sm text-accent underline underline-offset-2">
                code in {LANGUAGE_IDS.length} languages
              </a>
              .
            </p>
          </Step>
          <SeeItUsed group={group} />
        </ol>
        <EmbedPreview group={group} />
      </div>
      <section aria-labelledby={id} className="flex max-w-3xl flex-col gap-2">
        <h2 id={id} className="font-semibold text-base">
          From your program
        </h2>
        {/* Without mapping and properties: parsing would change how their numbers are spelled. */}
        <CallSnippets group={{ user_group_id: group.providedId, name: group.name }} environment={environment?.name} />
      </section>
    </div>
  );
}

interface StepProps {
  number: number;
  isDone?: boolean;
  children: ReactNode;
}

function Step({ number, isDone = false, children }: StepProps) {
  return (
    <li className="grid grid-cols-[22px_minmax(0,1fr)] gap-3 border-border border-b p-4 last:border-b-0 sm:gap-4.5 sm:px-5">
      <span
        aria-hidden
        className={cn(
          "flex size-5.5 items-center justify-center rounded-full border-[1.5px] font-semibold text-2xs [&_svg]:size-3",
          isDone ? "border-success bg-success text-surface" : "border-border-strong text-text-secondary",
        )}
      >
        {isDone ? <Check strokeWidth={3} /> : number}
      </span>
      <div className="flex min-w-0 flex-col gap-1">{children}</div>
    </li>
  );
}

/** How often the first check is looked for, in milliseconds. */
const POLL_MS = 3_000;

/** Waits for the first check of the token, while the page is visible. */
function SeeItUsed({ group }: { group: Group }) {
  const isSeen = isTokenSeen(group);
  const slug = useEnvironmentSlug();
  useQuery({ ...groupQuery(slug, String(group.teamId)), refetchInterval: isSeen ? false : POLL_MS });
  const { lastUsedAt, state } = group;
  return (
    <Step number={3} isDone={isSeen}>
      <h2 className="font-semibold">See it used</h2>
      <p role="status" className="flex items-baseline gap-2">
        <UseMark use={isSeen ? "in use" : "never"} />
        {isSeen && lastUsedAt ? (
          <span className="text-success">
            Your renderer checked the token <RelativeTime at={lastUsedAt} />
          </span>
        ) : (
          <span className="text-text-secondary">
            {state === "active"
              ? "Waiting for the first check by your renderer…"
              : "Its dashboards are not served now, so no check is awaited."}
          </span>
        )}
      </p>
      <p className="text-text-muted text-xs">
        A token is used when a dashboard’s renderer checks it with{" "}
        <code className="whitespace-nowrap font-mono">POST /api/viewer</code>. It shows here within seconds.
      </p>
    </Step>
  );
}

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { Failure } from "@/components/failure";
import { PageLink } from "@/components/page-link";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentName, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { GroupOriginsPanel } from "@/components/viewer-tokens/group-origins";
import { MakeVisible } from "@/components/viewer-tokens/make-visible";
import { type ValueName, type VisibleValue, valuesOf } from "@/components/viewer-tokens/visible-values";
import { cn } from "@/lib/browser/class-name";
import { definitionsQuery, parseDefinitions } from "@/lib/definitions/queries";
import type { Group } from "@/lib/groups/queries";
import { viewerSettingsQuery } from "@/lib/viewer-tokens/queries";

const MAX_ROWS = 5;

interface EmbedPreviewProps {
  group: Group;
  /** the renderer gets everything, as it does for the user group token */
  isWhole: boolean;
}

/** What the group's viewers see: a drawing of a dashboard, and the group's own values. */
export function EmbedPreview({ group, isWhole }: EmbedPreviewProps) {
  const slug = useEnvironmentSlug();
  const settings = useQuery(viewerSettingsQuery(slug));
  const stored = useQuery(definitionsQuery(slug));
  const definitions = stored.data && parseDefinitions(stored.data.text);
  const rows = settings.data && definitions && valuesOf(group, { visible: settings.data.visible, definitions });
  const failed = [settings, stored].find(({ isError, data }) => isError && !data);
  const visible = isWhole ? rows : rows?.filter(({ isVisible }) => isVisible);
  return (
    <section aria-labelledby="preview-title" className="flex min-w-0 flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <h2 id="preview-title" className="font-semibold text-base">
          What this viewer sees
        </h2>
        {rows && visible && (
          <span className="text-text-muted text-xs tabular-nums">
            {visible.length} visible{!isWhole && `, ${rows.length - visible.length} hidden`}
          </span>
        )}
      </div>
      <div className="overflow-hidden rounded-xl border border-border">
        <div className="border-border border-b bg-sunken p-4 max-xl:hidden">
          <Drawing />
        </div>
        {rows ? (
          <Rows rows={isWhole ? rows.map((row) => ({ ...row, isVisible: true })) : rows} />
        ) : failed?.error ? (
          <Failure title="This could not be loaded" error={failed.error} onRetry={failed.refetch} />
        ) : (
          <Skeleton className="h-54 rounded-none" />
        )}
      </div>
      <Note isWhole={isWhole} />
      <GroupOriginsPanel group={group} />
    </section>
  );
}

function Rows({ rows }: { rows: VisibleValue[] }) {
  const canWrite = useCanWrite();
  const [isWhole, setWhole] = useState(false);
  const [opened, setOpened] = useState<ValueName>();
  const rest = isWhole ? [] : rows.slice(MAX_ROWS);
  if (rows.length === 0) return <p className="px-4 py-3 text-text-muted">No properties and no mapping.</p>;
  return (
    <>
      <ul className="flex flex-col">
        {rows.slice(0, rows.length - rest.length).map((row) => {
          const { part, name, label, value, isVisible } = row;
          const Icon = isVisible ? Eye : EyeOff;
          return (
            <li
              key={`${part} ${name}`}
              className={cn(
                "flex min-h-9 items-center gap-2.5 border-border px-4 [&+&]:border-t pointer-coarse:min-h-11",
                !isVisible && "bg-sunken text-text-secondary",
              )}
            >
              <Icon aria-label={isVisible ? "Visible" : "Hidden"} className="size-4 shrink-0 text-text-muted" />
              <span className={cn("min-w-0 truncate", isVisible && "font-medium")} title={label}>
                {label}
              </span>
              {isVisible ? (
                <span className="ml-auto min-w-0 max-w-1/2 truncate text-text-secondary" title={value}>
                  {value}
                </span>
              ) : (
                canWrite && (
                  <button
                    type="button"
                    onClick={() => setOpened(row)}
                    className="ml-auto shrink-0 text-link text-xs pointer-coarse:py-3"
                  >
                    Make visible…<span className="sr-only"> {label}</span>
                  </button>
                )
              )}
            </li>
          );
        })}
      </ul>
      {rest.length > 0 && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="flex min-h-9 w-full items-center gap-2.5 border-border border-t bg-sunken px-4 text-text-muted hover:bg-hover hover:text-text focus-visible:-outline-offset-2 pointer-coarse:min-h-11"
        >
          <ChevronDown aria-hidden className="size-4" />
          {rest.length} more{rest.every(({ isVisible }) => !isVisible) && " hidden"}
        </button>
      )}
      {opened && <MakeVisible value={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Note({ isWhole }: { isWhole: boolean }) {
  const slug = useEnvironmentSlug();
  const environment = useEnvironmentName();
  return (
    <p className="text-text-muted text-xs">
      {isWhole ? (
        "Your renderer gets all of this when it looks up the token. The token itself reveals nothing."
      ) : (
        <>
          Anyone with the page can read what is visible, in all groups of {environment}.{" "}
          <PageLink href={`/${slug}/settings/embedding`} className="text-link">
            Change
          </PageLink>
        </>
      )}
    </p>
  );
}

function Drawing() {
  return (
    <svg aria-hidden viewBox="-1 -1 350 118" strokeLinejoin="round" strokeLinecap="round" className="w-full fill-none">
      <path
        d="M0 0h108v35H0z m120 0h108v35h-108z m120 0h108v35h-108z M0 47h228v69H0z m240 0h108v69h-108z"
        className="fill-raised stroke-border"
      />
      <path
        d="M14 12h26m-26 11h48m72-11h26m-26 11h38m82-11h26m-26 11h50"
        strokeWidth={5}
        className="stroke-text/10 forced-colors:stroke-[CanvasText]"
      />
      <path
        d="M14 101l30-14 30 6 32-20 30 8 34-16 42 6"
        strokeWidth={2}
        className="stroke-spark forced-colors:stroke-[CanvasText]"
      />
      <path
        d="M264 102v-14m20 14v-26m20 26v-10m20 10v-34"
        strokeWidth={11}
        strokeLinecap="butt"
        className="stroke-spark/50 forced-colors:stroke-[CanvasText]"
      />
    </svg>
  );
}

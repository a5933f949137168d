"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { Failure } from "@/components/failure";
import { LeaveUnsaved } from "@/components/leave-unsaved";
import { usePageActions } from "@/components/page-actions";
import { PageHeader } from "@/components/page-header";
import { part } from "@/components/part";
import { SaveBar } from "@/components/save-bar";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentName, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useSaveKey } from "@/components/use-save-key";
import { ClaimTemplates } from "@/components/viewer-tokens/claim-templates";
import { OriginList } from "@/components/viewer-tokens/origin-list";
import type { SettingName } from "@/components/viewer-tokens/setting-dialogs";
import { SettingsSection } from "@/components/viewer-tokens/settings-section";
import { SigningKeys } from "@/components/viewer-tokens/signing-keys";
import { useVisibleDraft } from "@/components/viewer-tokens/use-visible-draft";
import { environmentsQuery } from "@/lib/environments/queries";
import { type ViewerSettings, viewerSettingsQuery } from "@/lib/viewer-tokens/queries";

const dialogs = onDemand(() => import("@/components/viewer-tokens/setting-dialogs"));
const SettingDialogs = dialogs.part("SettingDialogs");
const TokenContents = part(
  async () => (await import("@/components/viewer-tokens/token-contents")).TokenContents,
  <Skeleton className="h-160 rounded-xl" />,
);

/** How an environment's dashboards are embedded: what viewer tokens contain, where they are used, who signs them. */
export function EmbeddingPage() {
  const name = useEnvironmentName();
  const slug = useEnvironmentSlug();
  const settings = useQuery(viewerSettingsQuery(slug));
  const environments = useQuery(environmentsQuery(slug));
  const environment = environments.data?.environments.find((one) => one.slug === slug);
  const failed = [settings, environments].find(({ error, data }) => error && !data);
  return (
    <div data-wide>
      <PageHeader title="Embedding">
        Where dashboards of {name} may appear, what their viewer tokens reveal, and the keys that sign.
      </PageHeader>
      {settings.data && environment ? (
        <Loaded settings={settings.data} embedTemplate={environment.embedTemplate} />
      ) : failed?.error ? (
        <Failure title="The settings could not be loaded" error={failed.error} onRetry={failed.refetch} />
      ) : (
        <Skeleton className="h-96 rounded-xl" />
      )}
    </div>
  );
}

const ROW =
  "grid gap-x-6 gap-y-2 border-border border-b px-4 py-3.5 last:border-b-0 sm:grid-cols-[13rem_minmax(0,1fr)_auto]";

function Loaded({ settings, embedTemplate }: { settings: ViewerSettings; embedTemplate: string | null }) {
  const form = useId();
  const canWrite = useCanWrite();
  const draft = useVisibleDraft(settings);
  const [open, show, close] = useOpen<SettingName>(dialogs);
  const [template, setTemplate] = useState("");
  const { preview_url, audience, allowed_origins } = settings;
  const rows: { name: SettingName; title: string; hint: string; value: ReactNode }[] = [
    {
      name: "allowed_origins",
      title: "Allowed origins",
      hint: "A group can have its own.",
      value: <OriginList origins={allowed_origins} />,
    },
    {
      name: "audience",
      title: "Audience (aud)",
      hint: "Renderers reject other audiences.",
      value: audience ? <span className="break-all text-text">{audience}</span> : "Same as the issuer",
    },
    {
      name: "preview_url",
      title: "Preview page",
      hint: "“View as” opens it for a group.",
      value: preview_url ? <code className="wrap-anywhere font-mono text-text text-xs">{preview_url}</code> : "Not set",
    },
    {
      name: "embed_template",
      title: "Embed template",
      hint: "Each group offers it, filled in.",
      value: embedTemplate ? (
        <code className="line-clamp-4 whitespace-pre-wrap break-all font-mono text-text text-xs">{embedTemplate}</code>
      ) : (
        "Not set"
      ),
    },
  ];
  usePageActions(
    rows.flatMap(({ name, title }) =>
      canWrite ? [{ label: `Change ${title.toLowerCase()}…`, run: () => void show(name) }] : [],
    ),
  );
  const isDirty = draft.changes.length > 0;
  useSaveKey(async () => draft.save(), isDirty && !draft.isSaving);
  return (
    <>
      <div className="grid items-start gap-x-6 gap-y-8 pb-5 xl:grid-cols-[minmax(0,1fr)_26.5rem] xl:grid-rows-[auto_1fr]">
        <SettingsSection title="Where dashboards appear" hint="Your renderer enforces the origins and the audience.">
          {rows.map(({ name, title, hint, value }) => (
            <div key={name} className={ROW}>
              <div>
                <h3 className="font-medium">{title}</h3>
                <p className="text-text-muted text-xs">{hint}</p>
              </div>
              <div className="min-w-0 text-text-secondary">{value}</div>
              {canWrite && (
                <div>
                  <Button size="small" onClick={() => void show(name)}>
                    Change…<span className="sr-only"> {title.toLowerCase()}</span>
                  </Button>
                </div>
              )}
            </div>
          ))}
        </SettingsSection>
        <div className="min-w-0 xl:col-start-2 xl:row-span-2 xl:row-start-1">
          <TokenContents form={form} settings={settings} draft={draft} template={template} onTemplate={setTemplate} />
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <ClaimTemplates settings={settings} onSaved={setTemplate} />
          {canWrite && <SigningKeys templates={settings.templates} />}
        </div>
      </div>
      {isDirty && (
        <SaveBar
          form={form}
          changes={draft.changes.map(({ label, isVisible }) => ({
            label,
            before: isVisible ? "hidden" : "visible",
            after: isVisible ? "visible" : "hidden",
          }))}
          isSaving={draft.isSaving}
          failure={draft.error ?? undefined}
          onDiscard={draft.discard}
        />
      )}
      <LeaveUnsaved isDirty={isDirty} onDiscard={draft.discard} />
      {open && <SettingDialogs open={open} settings={settings} embedTemplate={embedTemplate} onClose={close} />}
    </>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Failure } from "@/components/failure";
import { usePageActions } from "@/components/page-actions";
import { PageHeader } from "@/components/page-header";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { ClaimTemplates } from "@/components/viewer-tokens/claim-templates";
import { OriginList } from "@/components/viewer-tokens/origin-list";
import type { SettingName } from "@/components/viewer-tokens/setting-dialogs";
import { SettingRow } from "@/components/viewer-tokens/setting-row";
import { SigningKeys } from "@/components/viewer-tokens/signing-keys";
import { type ViewerSettings, viewerSettingsQuery } from "@/lib/viewer-tokens/queries";

const dialogs = onDemand(() => import("@/components/viewer-tokens/setting-dialogs"));
const SettingDialogs = dialogs.part("SettingDialogs");

/** An environment's settings for viewer tokens. */
export function ViewersPage() {
  const environment = useEnvironment();
  const { data, error, refetch } = useQuery(viewerSettingsQuery(useEnvironmentSlug()));
  return (
    <div className="max-w-220">
      <PageHeader title="Viewers">
        Viewer tokens of {environment?.name ?? "this environment"}: what they contain, where dashboards may be embedded,
        and the keys that sign them.
      </PageHeader>
      {data ? (
        <Loaded settings={data} />
      ) : error ? (
        <Failure title="The settings could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-96 rounded-xl" />
      )}
    </div>
  );
}

function Loaded({ settings }: { settings: ViewerSettings }) {
  const canWrite = useCanWrite();
  const [open, setOpen] = useState<SettingName>();
  const { visible, preview_url, audience, allowed_origins } = settings;
  const show = async (name: SettingName) => {
    if (await dialogs.loadOrTell()) setOpen(name);
  };
  const opener = (name: SettingName) => (canWrite ? () => void show(name) : undefined);
  return (
    <div className="flex flex-col gap-8">
      {canWrite && <Actions onOpen={(name) => void show(name)} />}
      <section aria-label="Settings" className="rounded-xl border border-border">
        <h2 className="sr-only">Settings</h2>
        <SettingRow
          title="What viewers can read"
          hint="Anyone with the page can read what a viewer token contains."
          onChange={opener("visible")}
        >
          <Names what="Properties" names={visible.properties} none="None of the properties" />
          <Names what="Mapping of schema" names={visible.mapping} none="Nothing of the mapping" />
        </SettingRow>
        <SettingRow title="Preview page" hint="View as opens it for a group." onChange={opener("preview_url")}>
          {preview_url ? <code className="break-all font-mono text-text text-xs">{preview_url}</code> : "Not set"}
        </SettingRow>
        <SettingRow
          title="Allowed origins"
          hint="Where dashboards may be embedded. A group can have its own."
          onChange={opener("allowed_origins")}
        >
          <OriginList origins={allowed_origins} />
        </SettingRow>
        <SettingRow title="Audience" hint="The claim aud, which renderers compare." onChange={opener("audience")}>
          {audience ? <span className="break-all text-text">{audience}</span> : "The issuer"}
        </SettingRow>
      </section>
      <ClaimTemplates settings={settings} />
      {canWrite && <SigningKeys templates={Object.keys(settings.templates)} />}
      {open && <SettingDialogs open={open} settings={settings} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

/** What the palette offers. */
function Actions({ onOpen }: { onOpen: (name: SettingName) => void }) {
  usePageActions([
    { label: "Change what viewers can read…", run: () => onOpen("visible") },
    { label: "Change preview page…", run: () => onOpen("preview_url") },
    { label: "Change allowed origins…", run: () => onOpen("allowed_origins") },
    { label: "Change audience…", run: () => onOpen("audience") },
  ]);
  return null;
}

interface NamesProps {
  what: string;
  names: string[];
  none: string;
}

function Names({ what, names, none }: NamesProps) {
  if (names.length === 0) return <p>{none}</p>;
  return (
    <p className="min-w-0 break-words">
      {what}{" "}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <code className="break-all font-mono text-text text-xs">{name}</code>
        </span>
      ))}
    </p>
  );
}

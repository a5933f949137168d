"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
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
import { SettingsSection } from "@/components/viewer-tokens/settings-section";
import { SigningKeys } from "@/components/viewer-tokens/signing-keys";
import { environmentsQuery } from "@/lib/environments/queries";
import { type ViewerSettings, viewerSettingsQuery } from "@/lib/viewer-tokens/queries";

const dialogs = onDemand(() => import("@/components/viewer-tokens/setting-dialogs"));
const SettingDialogs = dialogs.part("SettingDialogs");

/** How dashboards are embedded in an environment: what viewer tokens contain, where they are used, who signs them. */
export function EmbeddingPage() {
  const name = useEnvironment()?.name ?? "this environment";
  const slug = useEnvironmentSlug();
  const settings = useQuery(viewerSettingsQuery(slug));
  const environments = useQuery(environmentsQuery(slug));
  const environment = environments.data?.environments.find((one) => one.slug === slug);
  const failed = [settings, environments].find(({ error, data }) => error && !data);
  return (
    <>
      <PageHeader title="Embedding">
        What viewer tokens of {name} reveal, where dashboards may appear, and the keys that sign.
      </PageHeader>
      {settings.data && environment ? (
        <Loaded settings={settings.data} embedTemplate={environment.embedTemplate} />
      ) : failed?.error ? (
        <Failure title="The settings could not be loaded" error={failed.error} onRetry={() => void failed.refetch()} />
      ) : (
        <Skeleton className="h-96 rounded-xl" />
      )}
    </>
  );
}

interface LoadedProps {
  settings: ViewerSettings;
  embedTemplate: string | null;
}

interface Setting {
  name: SettingName;
  title: string;
  hint: string;
  value: ReactNode;
}

function Loaded({ settings, embedTemplate }: LoadedProps) {
  const canWrite = useCanWrite();
  const [open, setOpen] = useState<SettingName>();
  const { visible, preview_url, audience, allowed_origins } = settings;
  const show = async (name: SettingName) => {
    if (await dialogs.loadOrTell()) setOpen(name);
  };
  const ofToken: Setting[] = [
    {
      name: "visible",
      title: "Visible properties",
      hint: "Hidden ones reach only your renderer, when it asks.",
      value: (
        <>
          <Names what="Properties" names={visible.properties} none="None of the properties" />
          <Names what="Mapping of schema" names={visible.mapping} none="Nothing of the mapping" />
        </>
      ),
    },
    {
      name: "audience",
      title: "Audience",
      hint: "The claim aud. Renderers reject other audiences.",
      value: audience ? <span className="break-all text-text">{audience}</span> : "Same as the issuer",
    },
  ];
  const ofPlace: Setting[] = [
    {
      name: "allowed_origins",
      title: "Allowed origins",
      hint: "A group can have its own.",
      value: <OriginList origins={allowed_origins} />,
    },
    {
      name: "preview_url",
      title: "Preview page",
      hint: "View as opens it for a group.",
      value: preview_url ? <code className="break-all font-mono text-text text-xs">{preview_url}</code> : "Not set",
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
    [...ofToken, ...ofPlace].flatMap(({ name, title }) =>
      canWrite ? [{ label: `Change ${title.toLowerCase()}…`, run: () => void show(name) }] : [],
    ),
  );
  const rowOf = ({ name, title, hint, value }: Setting) => (
    <SettingRow key={name} title={title} hint={hint} onChange={canWrite ? () => void show(name) : undefined}>
      {value}
    </SettingRow>
  );
  return (
    <div className="flex flex-col gap-8">
      <SettingsSection title="What a token contains" hint="Anyone with the page can read a viewer token.">
        {ofToken.map(rowOf)}
      </SettingsSection>
      <SettingsSection title="Where dashboards appear" hint="Your renderer enforces the origins.">
        {ofPlace.map(rowOf)}
      </SettingsSection>
      <ClaimTemplates settings={settings} />
      {canWrite && <SigningKeys templates={Object.keys(settings.templates)} />}
      {open && <SettingDialogs {...{ open, settings, embedTemplate }} onClose={() => setOpen(undefined)} />}
    </div>
  );
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

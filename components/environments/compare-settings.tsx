import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, ArrowRight } from "lucide-react";
import { useState } from "react";
import { SettingsSheet } from "@/components/environments/settings-sheet";
import { Failure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import type { EnvironmentDetails } from "@/lib/environments/schema";
import { copiedSettingsQuery } from "@/lib/settings/queries";

interface CompareSettingsProps {
  environment: EnvironmentDetails;
  /** all environments: this one and at least one other */
  all: EnvironmentDetails[];
  onClose: () => void;
}

/** Compares an environment's settings with another's, and copies chosen parts to it. */
export function CompareSettings({ environment, all, onClose }: CompareSettingsProps) {
  // People usually promote between environments with different tags.
  const others = all.filter(({ slug }) => slug !== environment.slug);
  const first = others.find(({ tag }) => tag !== environment.tag) ?? others[0] ?? environment;
  const [{ from, to }, setSides] = useState({ from: environment.slug, to: first.slug });
  const source = all.find(({ slug }) => slug === from) ?? environment;
  const target = all.find(({ slug }) => slug === to) ?? environment;
  const { data, error, refetch } = useQuery(copiedSettingsQuery(source.slug, target.slug));
  const optionsWithout = (other: string) =>
    all.filter(({ slug }) => slug !== other).map(({ slug: value, name: label }) => ({ value, label }));
  return (
    <SettingsSheet
      target={target}
      source={source.slug}
      title={`Compare ${source.name} with ${target.name}`}
      document={data}
      verb={`Copy to ${target.name}`}
      hint="Never copied: groups, tokens, secrets, query strings of webhooks. The target’s own webhooks stay."
      onClose={onClose}
    >
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="From"
          value={from}
          onChange={(next) => setSides({ from: next, to })}
          options={optionsWithout(to)}
          className="max-w-44"
        />
        <ArrowRight aria-hidden className="size-4 text-text-muted" />
        <Select
          label="To"
          value={to}
          onChange={(next) => setSides({ from, to: next })}
          options={optionsWithout(from)}
          className="max-w-44"
        />
        <Button variant="ghost" onClick={() => setSides({ from: to, to: from })}>
          <ArrowLeftRight aria-hidden />
          Swap
        </Button>
      </div>
      {error && !data && <Failure title="The settings could not be loaded" error={error} onRetry={refetch} />}
    </SettingsSheet>
  );
}

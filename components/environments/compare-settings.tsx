"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SettingsDialog } from "@/components/environments/settings-dialog";
import { Failure } from "@/components/failure";
import { Field } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import type { EnvironmentDetails } from "@/lib/environments/schema";
import { settingsQuery } from "@/lib/settings/queries";

interface CompareSettingsProps {
  environment: EnvironmentDetails;
  /** at least one */
  others: [EnvironmentDetails, ...EnvironmentDetails[]];
  onClose: () => void;
}

/** Compares an environment's settings with another's, and copies chosen parts there. */
export function CompareSettings({ environment, others, onClose }: CompareSettingsProps) {
  const { data, error, refetch } = useQuery(settingsQuery(environment.slug));
  // What people promote to and from has the other tag.
  const [slug, setSlug] = useState((others.find(({ tag }) => tag !== environment.tag) ?? others[0]).slug);
  const target = others.find((one) => one.slug === slug) ?? others[0];
  return (
    <SettingsDialog
      target={target}
      title={`Compare ${environment.name} with ${target.name}`}
      description={`What you choose is copied to ${target.name}, without secrets and the queries of webhook addresses. ${environment.name} stays as it is.`}
      document={data}
      verb={`Copy to ${target.name}`}
      doing="Copying…"
      onClose={onClose}
    >
      <Field label="Compare with">
        {(control) => (
          <Select
            {...control}
            value={slug}
            onChange={setSlug}
            options={others.map(({ slug: value, name }) => ({ value, label: name }))}
            className="max-w-56"
          />
        )}
      </Field>
      {error && !data && (
        <Failure title="The settings could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
    </SettingsDialog>
  );
}

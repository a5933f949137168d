"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { sentence } from "@/components/form-issues";
import { SettingDialog } from "@/components/setting-dialog";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Textarea } from "@/components/ui/input";
import { Notice } from "@/components/ui/notice";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { linesOf } from "@/components/viewer-tokens/lines";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import { ApiError } from "@/lib/browser/api-client";
import { summaryQuery } from "@/lib/groups/queries";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

interface VisibleDialogProps {
  settings: ViewerSettings;
  onClose: () => void;
}

const MAX_OFFERED = 12;

/** Chooses the properties and the mapping that viewer tokens contain. */
export function VisibleDialog({ settings: { visible }, onClose }: VisibleDialogProps) {
  const environment = useEnvironment();
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const [properties, setProperties] = useState(visible.properties.join("\n"));
  const [mapping, setMapping] = useState(visible.mapping.join("\n"));
  const change = useSettingChange({
    change: () => ({ visible: { properties: linesOf(properties), mapping: linesOf(mapping) } }),
    done: "The visible properties were saved",
    onDone: onClose,
  });
  const listed = linesOf(properties);
  const offered = (summary?.properties ?? []).map(({ name }) => name).filter((name) => !listed.includes(name));
  return (
    <SettingDialog
      action={change}
      environment={environment}
      title="Visible properties"
      fields={["visible"]}
      onClose={onClose}
    >
      <Notice tone="warning">
        <p>Anyone with the page can read a viewer token. List only what the customer may know.</p>
      </Notice>
      <div className="flex flex-col gap-2">
        <Field
          label="Properties"
          hint="One per line. They become the claim variables."
          error={issueWith(change.error, "properties")}
        >
          {(control) => (
            <Lines {...control} value={properties} onChange={(event) => setProperties(event.target.value)} />
          )}
        </Field>
        {offered.length > 0 && (
          <ul aria-label="Properties of your groups" className="flex flex-wrap gap-1.5">
            {offered.slice(0, MAX_OFFERED).map((name) => (
              <li key={name} className="min-w-0">
                <Button
                  size="small"
                  onClick={() => setProperties([...listed, name].join("\n"))}
                  className="max-w-full font-mono"
                >
                  <Plus aria-hidden />
                  <span className="sr-only">Add </span>
                  <span className="truncate">{name}</span>
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
      <Field
        label="Mapping"
        hint="Schema ids, one per line. With their data sources they become the claim mapping."
        error={issueWith(change.error, "mapping")}
      >
        {(control) => <Lines {...control} value={mapping} onChange={(event) => setMapping(event.target.value)} />}
      </Field>
    </SettingDialog>
  );
}

function Lines(props: React.ComponentProps<typeof Textarea>) {
  return (
    <Textarea
      {...props}
      rows={2}
      spellCheck={false}
      autoComplete="off"
      className="field-sizing-content max-h-48 min-h-16 font-mono text-xs"
    />
  );
}

function issueWith(error: Error | null, part: "properties" | "mapping"): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return sentence(error.issues.find(({ path }) => path[0] === "visible" && path[1] === part)?.message);
}

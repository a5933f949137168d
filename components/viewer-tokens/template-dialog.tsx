"use client";

import { type FormEvent, useRef, useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { sentence } from "@/components/form-issues";
import { JsonField } from "@/components/json-editor/json-field";
import { findProblems } from "@/components/json-editor/problems";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Segmented } from "@/components/ui/segmented";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import { ApiError } from "@/lib/browser/api-client";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";
import { type ClaimTemplate, TEMPLATE_PRESETS } from "@/lib/viewer-tokens/settings-schema";

interface TemplateDialogProps {
  settings: ViewerSettings;
  /** undefined for a new one */
  name: string | undefined;
  onClose: () => void;
}

const MAX_BYTES = 4_096;
const PRESETS = { empty: "Empty", cube: "Cube" };
type Preset = keyof typeof PRESETS;
const textOf = ({ claims }: Pick<ClaimTemplate, "claims">) => JSON.stringify(claims, null, 2);
const PRESET_CLAIMS = { empty: textOf({ claims: {} }), cube: textOf(TEMPLATE_PRESETS.cube) };

/** Creates or changes a claim template. */
export function TemplateDialog({ settings: { templates }, name: existing, onClose }: TemplateDialogProps) {
  const stored = existing === undefined ? undefined : templates[existing];
  const [preset, setPreset] = useState<Preset>("empty");
  const [name, setName] = useState(existing ?? "");
  const [audience, setAudience] = useState(stored?.audience ?? "");
  const [claims, setClaims] = useState(stored ? textOf(stored) : PRESET_CLAIMS.empty);
  const [wrongName, setWrongName] = useState<string>();
  const field = useRef<{ focus(): void }>(null);
  const isDirty = stored ? claims !== textOf(stored) || audience !== (stored.audience ?? "") : name !== "";
  const change = useSettingChange<ClaimTemplate>({
    change: (template, now) => ({ templates: { ...now.templates, [name]: template } }),
    done: `The template “${name}” was ${stored ? "saved" : "created"}`,
    onDone: onClose,
  });
  const choose = (next: Preset) => {
    setPreset(next);
    setClaims(PRESET_CLAIMS[next]);
    if (next !== "empty" && name === "") setName(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isTaken = existing === undefined && Object.hasOwn(templates, name);
    setWrongName(name === "" ? "Enter a name." : isTaken ? "Is taken by another template." : undefined);
    if (name === "" || isTaken) return;
    if (findProblems(claims, { required: true, maxBytes: MAX_BYTES }).length > 0) return field.current?.focus();
    change.run({ audience: audience.trim() || null, claims: JSON.parse(claims) });
  };
  const issues = issuesOf(change.error);
  return (
    <ActionDialog
      action={change}
      environment="current"
      wide
      sticky
      loses={isDirty ? "Your changes to the template are lost." : undefined}
      title={existing === undefined ? "Create template" : `Edit the template “${existing}”`}
      onClose={onClose}
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        {existing === undefined && (
          <>
            <div>
              <Segmented
                label="Start with"
                value={preset}
                onChange={choose}
                options={(Object.keys(PRESETS) as Preset[]).map((value) => ({ value, label: PRESETS[value] }))}
              />
            </div>
            <Field
              label="Name"
              hint="Programs ask for it by this name. It cannot be changed."
              error={wrongName ?? issues.name}
            >
              {(control) => (
                <Input
                  {...control}
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                  spellCheck={false}
                  autoComplete="off"
                  className="font-mono"
                />
              )}
            </Field>
          </>
        )}
        <Field label="Audience" hint="The claim aud. Empty for the environment’s." error={issues.audience}>
          {(control) => (
            <Input
              {...control}
              value={audience}
              onChange={(event) => setAudience(event.target.value)}
              spellCheck={false}
              autoComplete="off"
            />
          )}
        </Field>
        <JsonField
          ref={field}
          label="Claims"
          description="Placeholders: {{team_id}}, {{user_group_id}}, {{viewer}}, {{viewer.properties.NAME}}, {{content}}, {{environment}}, {{variables}} and {{variables.NAME}}. A value that is only a placeholder keeps its type."
          value={claims}
          onChange={setClaims}
          required
          maxBytes={MAX_BYTES}
          error={issues.claims}
          defaultView="json"
        />
        {change.error && !issues.isPlaced && <Failure title={change.failed} error={change.error} />}
        <ActionButtons
          action={change}
          verb={stored ? "Save" : "Create template"}
          doing={stored ? "Saving…" : "Creating…"}
          onClose={onClose}
        />
      </form>
    </ActionDialog>
  );
}

/** The service's issues with a template, at their fields. */
function issuesOf(error: Error | null) {
  const placed: { name?: string; audience?: string; claims?: string } = {};
  for (const { path, message } of error instanceof ApiError ? error.issues : []) {
    const [settings, , part, ...inner] = path;
    if (settings !== "templates") continue;
    if (part === "audience") placed.audience ??= sentence(message) ?? "";
    else if (part === "claims") placed.claims ??= [...inner, message].join(" ");
    else placed.name ??= sentence(message) ?? "";
  }
  return { ...placed, isPlaced: Object.keys(placed).length > 0 };
}

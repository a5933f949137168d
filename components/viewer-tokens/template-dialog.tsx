import { useRef, useState } from "react";
import { ActionForm } from "@/components/action-form";
import { CodeBlock } from "@/components/code-block";
import { ActionDialog } from "@/components/confirm-dialog";
import { sentence } from "@/components/form-issues";
import { JsonField } from "@/components/json-editor/json-field";
import { findProblems } from "@/components/json-editor/problems";
import { SecretField } from "@/components/secret-input";
import { SelectField } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { isSame, requireUnchanged } from "@/components/unchanged";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useOrigin } from "@/components/use-in-browser";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import { ApiError } from "@/lib/browser/api-client";
import { isSecretSigned } from "@/lib/viewer-tokens/claims";
import { TEMPLATE_PRESETS, type TemplatePreset } from "@/lib/viewer-tokens/presets";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";
import type { ClaimTemplate } from "@/lib/viewer-tokens/settings-schema";

interface TemplateDialogProps {
  settings: ViewerSettings;
  /** undefined for a new one */
  name: string | undefined;
  onSaved: (name: string) => void;
  onClose: () => void;
}

const MAX_BYTES = 4_096;
const TAKEN = "Someone has just created a template with this name. Choose another name.";
const OTHER = "other";
const PRESETS = new Map<string, TemplatePreset>(Object.entries(TEMPLATE_PRESETS));
const RENDERERS = [
  ...Object.entries(TEMPLATE_PRESETS).map(([value, { label }]) => ({ value, label })),
  { value: OTHER, label: "Another renderer" },
];
const ALGORITHMS = [
  { value: "ES256", label: "ES256, the template’s own key" },
  ...(["HS256", "HS384", "HS512"] as const).map((value) => ({ value, label: `${value}, the renderer’s secret` })),
];
const PLACEHOLDERS =
  "{{team_id}} {{user_group_id}} {{name}} {{viewer}} {{viewer.name}} {{viewer.email}} {{viewer.properties.NAME}} " +
  "{{content}} {{environment}} {{variables}} {{variables.NAME}} {{properties.NAME}} {{mapping.ID}} {{issuer}} " +
  "{{iat}} {{exp}}";
type Algorithm = NonNullable<ClaimTemplate["signing"]>["algorithm"];

/** A template in its form. */
interface TemplateFields {
  name: string;
  algorithm: string;
  secret: string;
  audience: string;
  claims: string;
}

function fieldsOf(name: string, template: ClaimTemplate = { audience: null, claims: {} }): TemplateFields {
  const { signing, audience, claims } = template;
  const text = JSON.stringify(claims, null, 2);
  return { name, algorithm: signing?.algorithm ?? "ES256", secret: "", audience: audience ?? "", claims: text };
}

/** The template to save. Members without a form field are kept. */
function templateOf({ algorithm, secret, audience, claims }: TemplateFields, base?: ClaimTemplate): ClaimTemplate {
  const { signing: _, ...kept } = base ?? {};
  const signing = { algorithm: algorithm as Algorithm, ...(secret !== "" && { secret }) };
  const own = { audience: audience.trim() || null, claims: JSON.parse(claims) };
  return { ...kept, ...(algorithm !== "ES256" && { signing }), ...own };
}

/** After a lost answer: whether a secret was saved cannot be read. */
const UNCONFIRMED = {
  failed: "The change was not confirmed",
  undone: "The response was lost, and no later one shows the secret. Save it again.",
};

/** Creates or changes a claim template. */
export function TemplateDialog({ settings, name: existing, onSaved, onClose }: TemplateDialogProps) {
  // As they were when the dialog opened: a lost answer may have been of this one's creation.
  const [{ templates }] = useState(settings);
  const stored = existing === undefined ? undefined : templates[existing];
  const [renderer, setRenderer] = useState(existing ?? OTHER);
  const [fields, setFields] = useState(() => fieldsOf(existing ?? "", stored));
  const [isChecked, setChecked] = useState(false);
  const nameField = useRef<HTMLInputElement>(null);
  const editor = useRef<{ focus(): void }>(null);
  const { name, algorithm, secret, audience, claims } = fields;
  const set = (changed: Partial<TemplateFields>) => setFields((now) => ({ ...now, ...changed }));
  const preset = PRESETS.get(renderer);
  const issuer = `${useOrigin()}/e/${useEnvironmentSlug()}`;
  const isDirty = JSON.stringify(fields) !== JSON.stringify(fieldsOf(existing ?? "", stored));
  const change = useSettingChange<ClaimTemplate>({
    check(now, { signing, ...wanted }) {
      const other = Object.hasOwn(now.templates, name) ? now.templates[name] : undefined;
      // Sent again after a lost answer. No answer contains the secret.
      if (isSame(other, { ...wanted, ...(signing && { signing: { algorithm: signing.algorithm } }) })) return;
      if (!stored && other) throw new Error(TAKEN);
      requireUnchanged(other, stored);
    },
    change: (template, now) => ({ templates: { ...now.templates, [name]: template } }),
    ...(secret !== "" && UNCONFIRMED),
    done: `The template “${name}” was ${stored ? "saved" : "created"}`,
    onDone: () => onSaved(name),
    onClose,
  });
  const choose = (next: string) => {
    setRenderer(next);
    const isOwn = name !== "" && !PRESETS.has(name);
    setFields(fieldsOf(isOwn ? name : next === OTHER ? "" : next, PRESETS.get(next)?.template));
  };
  const isTaken = existing === undefined && Object.hasOwn(templates, name);
  const wrongName = name === "" ? "Enter a name." : isTaken ? "Another template has this name." : undefined;
  const submit = () => {
    setChecked(true);
    if (wrongName) return nameField.current?.focus();
    if (findProblems(claims, { required: true, maxBytes: MAX_BYTES }).length > 0) return editor.current?.focus();
    change.run(templateOf(fields, stored ?? preset?.template));
  };
  const issues = issuesOf(change.error);
  return (
    <ActionDialog
      action={change}
      wide
      sticky
      loses={isDirty ? "Your changes to the template are lost." : undefined}
      title={existing === undefined ? "Create template" : `Edit the template “${existing}”`}
      onClose={onClose}
    >
      <ActionForm
        action={change}
        fields={["templates"]}
        onSubmit={submit}
        verb={stored ? "Save" : "Create template"}
        onClose={onClose}
      >
        {existing === undefined && (
          <>
            <SelectField label="Renderer" value={renderer} onChange={choose} options={RENDERERS} />
            <TextField
              ref={nameField}
              label="Name"
              hint="Programs ask for it by this name. It cannot be changed."
              error={(isChecked ? wrongName : undefined) ?? issues.name}
              value={name}
              onChange={({ target }) => set({ name: target.value })}
              isLiteral
              className="font-mono"
            />
          </>
        )}
        <SelectField
          label="Signature"
          error={issues.algorithm}
          value={algorithm}
          onChange={(next) => set({ algorithm: next, secret: "" })}
          options={ALGORITHMS}
        />
        {algorithm !== "ES256" && (
          <SecretField
            label="Renderer’s secret"
            hint={secretHint(preset, stored)}
            error={issues.secret}
            value={secret}
            onChange={({ target }) => set({ secret: target.value })}
            // Browsers fill in passwords despite "off".
            autoComplete="new-password"
          />
        )}
        <TextField
          label="Audience"
          hint={`The claim aud. Leave it empty for ${algorithm === "ES256" ? "the environment’s" : "none or the claims’ own"}.`}
          error={issues.audience}
          value={audience}
          onChange={({ target }) => set({ audience: target.value })}
          isLiteral
          className="font-mono"
        />
        <JsonField
          ref={editor}
          label="Claims"
          description="A value that is only a placeholder, such as {{team_id}}, keeps its type."
          value={claims}
          onChange={(text) => set({ claims: text })}
          required
          maxBytes={MAX_BYTES}
          error={issues.claims}
          defaultView="json"
        />
        <details className="text-text-muted text-xs">
          <summary className="w-fit rounded-sm">All placeholders</summary>
          <p className="pt-1.5 font-mono">{PLACEHOLDERS}</p>
          <p className="pt-1.5">
            <code className="font-mono">{"{{sql properties.NAME}}"}</code> quotes a value for SQL.
          </p>
        </details>
        {preset && (
          <section aria-label={`For ${preset.label}`} className="flex flex-col gap-1.5">
            <h3 className="font-medium">For {preset.label}</h3>
            <CodeBlock
              what={`snippet for ${preset.label}`}
              text={preset.snippet
                .replaceAll("{{issuer}}", issuer)
                .replaceAll("{{audience}}", audience.trim() || (settings.audience ?? issuer))
                .replaceAll("{{template}}", name)}
            />
          </section>
        )}
      </ActionForm>
    </ActionDialog>
  );
}

function secretHint(preset: TemplatePreset | undefined, stored: ClaimTemplate | undefined): string {
  if (isSecretSigned(stored))
    return "Leave it empty to keep the stored one. To change the claims or the signature, enter it again.";
  return preset?.secretPlace ?? "It is never shown again.";
}

/** The service's issues with a template, at their fields. */
function issuesOf(error: Error | null) {
  const placed: { name?: string; algorithm?: string; secret?: string; audience?: string; claims?: string } = {};
  for (const { path, message } of error instanceof ApiError ? error.issues : []) {
    const [settings, , part, ...inner] = path;
    if (settings !== "templates") continue;
    if (part === "audience") placed.audience ??= sentence(message) ?? "";
    else if (part === "claims") placed.claims ??= [...inner, message].join(" ");
    else if (part === "signing") placed[inner[0] === "secret" ? "secret" : "algorithm"] ??= sentence(message) ?? "";
    else placed.name ??= sentence(message) ?? "";
  }
  return placed;
}

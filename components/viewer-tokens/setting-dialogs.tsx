"use client";

import { issueOf } from "@/components/form-issues";
import { SettingDialog } from "@/components/setting-dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useEnvironment } from "@/components/use-environment";
import { EmbedTemplateDialog } from "@/components/viewer-tokens/embed-template-dialog";
import { OriginsField, originsIn } from "@/components/viewer-tokens/origins-field";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import { VisibleDialog } from "@/components/viewer-tokens/visible-dialog";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

/** The settings that have a dialog each. */
export type SettingName = "visible" | "preview_url" | "audience" | "allowed_origins" | "embed_template";

interface SettingProps {
  settings: ViewerSettings;
  onClose: () => void;
}

interface SettingDialogsProps extends SettingProps {
  open: SettingName;
  embedTemplate: string | null;
}

export function SettingDialogs({ open, embedTemplate, ...props }: SettingDialogsProps) {
  switch (open) {
    case "visible":
      return <VisibleDialog {...props} />;
    case "preview_url":
      return <PreviewDialog {...props} />;
    case "audience":
      return <AudienceDialog {...props} />;
    case "allowed_origins":
      return <OriginsDialog {...props} />;
    case "embed_template":
      return <EmbedTemplateDialog template={embedTemplate} onClose={props.onClose} />;
  }
}

/** A field's text; null when it is blank. */
const textIn = (fields: FormData, name: string) => String(fields.get(name) ?? "").trim() || null;

function PreviewDialog({ settings, onClose }: SettingProps) {
  const environment = useEnvironment();
  const change = useSettingChange({
    change: (fields) => ({ preview_url: textIn(fields, "preview_url") }),
    done: "The preview page was saved",
    onDone: onClose,
  });
  return (
    <SettingDialog
      action={change}
      environment={environment}
      title="Preview page"
      description="View as opens it in a new tab, with a viewer token of the group that is valid for 15 minutes."
      fields={["preview_url"]}
      onClose={onClose}
    >
      <Field
        label="URL"
        hint="With {{viewerToken}} after a #, so that the token reaches no server or log. Leave it empty for none."
        error={issueOf(change.error, "preview_url")}
      >
        {(control) => (
          <Input
            {...control}
            name="preview_url"
            defaultValue={settings.preview_url ?? ""}
            placeholder="https://app.example.com/preview#token={{viewerToken}}"
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-xs"
          />
        )}
      </Field>
    </SettingDialog>
  );
}

function AudienceDialog({ settings, onClose }: SettingProps) {
  const environment = useEnvironment();
  const change = useSettingChange({
    change: (fields) => ({ audience: textIn(fields, "audience") }),
    done: "The audience was saved",
    onDone: onClose,
  });
  return (
    <SettingDialog
      action={change}
      environment={environment}
      title="Audience"
      description="Renderers compare it with their own, and refuse tokens meant for others. Change it in both places together."
      fields={["audience"]}
      onClose={onClose}
    >
      <Field
        label="Claim aud"
        hint="Such as https://dashboards.example.com. Leave it empty for the issuer."
        error={issueOf(change.error, "audience")}
      >
        {(control) => (
          <Input
            {...control}
            name="audience"
            defaultValue={settings.audience ?? ""}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
    </SettingDialog>
  );
}

function OriginsDialog({ settings, onClose }: SettingProps) {
  const environment = useEnvironment();
  const change = useSettingChange({
    change: (fields) => ({ allowed_origins: originsIn(fields) }),
    done: "The allowed origins were saved",
    onDone: onClose,
  });
  return (
    <SettingDialog
      action={change}
      environment={environment}
      title="Allowed origins"
      description="For groups without origins of their own. Your renderer enforces them."
      fields={["allowed_origins"]}
      onClose={onClose}
    >
      <OriginsField
        initial={settings.allowed_origins}
        free={{ label: "Anywhere", hint: "Any page can embed the dashboards, if it has a token." }}
        error={change.error}
      />
    </SettingDialog>
  );
}

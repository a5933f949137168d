import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { issueOf } from "@/components/form-issues";
import { TextField } from "@/components/ui/text-field";
import { requireUnchanged } from "@/components/unchanged";
import { EmbedTemplateDialog } from "@/components/viewer-tokens/embed-template-dialog";
import { OriginsField, originsIn } from "@/components/viewer-tokens/origins-field";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

/** The settings with a dialog. */
export type SettingName = "preview_url" | "audience" | "allowed_origins" | "embed_template";

interface SettingProps {
  settings: ViewerSettings;
  onClose: () => void;
}

interface SettingDialogsProps extends SettingProps {
  open: SettingName;
  embedTemplate: string | null;
}

/** Dialog texts of the single-line settings. */
const TEXTS = {
  preview_url: {
    title: "Preview page",
    description: "“View as” opens it in a new tab, with a viewer token for the group that is valid for 15 minutes.",
    label: "URL",
    hint: "Put {{viewerToken}} after a #, which keeps it out of requests and logs. Leave it empty for none.",
    placeholder: "https://app.example.com/preview#token={{viewerToken}}",
  },
  audience: {
    title: "Audience",
    description:
      "Renderers compare it with their own, and refuse tokens meant for others. Change it in both places together.",
    label: "Claim aud",
    hint: "Leave it empty for the issuer.",
    placeholder: "https://dashboards.example.com",
  },
};

export function SettingDialogs({ open, embedTemplate, ...props }: SettingDialogsProps) {
  if (open === "allowed_origins") return <OriginsDialog {...props} />;
  if (open === "embed_template") return <EmbedTemplateDialog template={embedTemplate} onClose={props.onClose} />;
  return <TextDialog name={open} {...props} />;
}

/** Changes a setting that is one line of text or unset. */
function TextDialog({ name, settings, onClose }: SettingProps & { name: keyof typeof TEXTS }) {
  const { title, description, ...texts } = TEXTS[name];
  const [opened] = useState(settings[name]);
  const change = useSettingChange({
    check: ({ [name]: now }) => requireUnchanged(now, opened),
    change: (fields) => ({ [name]: String(fields.get(name) ?? "").trim() || null }),
    done: `The ${title.toLowerCase()} was saved`,
    onClose,
  });
  return (
    <ConfirmDialog
      verb="Save"
      title={title}
      description={description}
      onClose={onClose}
      action={change}
      fields={[name]}
    >
      <TextField
        name={name}
        error={issueOf(change.error, name)}
        defaultValue={opened ?? ""}
        isLiteral
        className="font-mono text-xs"
        {...texts}
      />
    </ConfirmDialog>
  );
}

function OriginsDialog({ settings, onClose }: SettingProps) {
  const [opened] = useState(settings.allowed_origins);
  const change = useSettingChange({
    check: ({ allowed_origins: now }) => requireUnchanged(now, opened),
    change: (fields) => ({ allowed_origins: originsIn(fields) }),
    done: "The allowed origins were saved",
    onClose,
  });
  return (
    <ConfirmDialog
      verb="Save"
      action={change}
      title="Allowed origins"
      description="For groups that list none themselves. Your renderer enforces them."
      fields={["allowed_origins"]}
      onClose={onClose}
    >
      <OriginsField
        initial={settings.allowed_origins}
        free={{ label: "Anywhere", hint: "Any page can embed the dashboards, if it has a token." }}
        error={change.error}
      />
    </ConfirmDialog>
  );
}

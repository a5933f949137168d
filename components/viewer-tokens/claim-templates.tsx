import { Plus } from "lucide-react";
import { CodeBlock } from "@/components/code-block";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Button } from "@/components/ui/button";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { useCanWrite } from "@/components/use-member";
import { SettingsSection } from "@/components/viewer-tokens/settings-section";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

const dialogs = onDemand(() => import("@/components/viewer-tokens/template-dialog"));
const TemplateDialog = dialogs.part("TemplateDialog");

interface Open {
  verb: "edit" | "delete";
  /** undefined for a new one */
  name?: string;
}

interface ClaimTemplatesProps {
  settings: ViewerSettings;
  /** gets the template's name */
  onSaved: (name: string) => void;
}

/** Ready-made claims for renderers that expect their own, such as Cube. */
export function ClaimTemplates({ settings, onSaved }: ClaimTemplatesProps) {
  const canWrite = useCanWrite();
  const [open, show, close] = useOpen<Open>(dialogs);
  const templates = Object.entries(settings.templates);
  return (
    <SettingsSection
      title="Claim templates"
      hint="Tokens in the form of your renderer, such as Metabase or Cube."
      action={
        canWrite && (
          <Button icon={Plus} onClick={() => show({ verb: "edit" })}>
            Create template
          </Button>
        )
      }
    >
      {templates.length === 0 && <p className="px-4 py-3.5 text-text-muted">No templates</p>}
      {templates.map(([name, { signing, audience, claims }]) => (
        <div key={name} className="flex flex-col gap-2 border-border border-b px-4 py-3.5 last:border-b-0">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <div className="flex min-w-0 flex-wrap items-baseline gap-x-2.5">
              <h3 className="min-w-0 break-all font-medium">{name}</h3>
              <p className="min-w-0 break-all text-text-muted text-xs">
                {[signing?.algorithm ?? "ES256", audience && `Audience ${audience}`].filter(Boolean).join(", ")}
              </p>
            </div>
            {canWrite && (
              <div className="flex gap-2">
                <Button size="small" onClick={() => show({ verb: "edit", name })}>
                  Edit…<span className="sr-only"> template {name}</span>
                </Button>
                <Button
                  size="small"
                  onClick={() => show({ verb: "delete", name })}
                  className="text-danger!"
                  variant="ghost"
                >
                  Delete…<span className="sr-only"> template {name}</span>
                </Button>
              </div>
            )}
          </div>
          <CodeBlock what={`claims of ${name}`} text={JSON.stringify(claims, null, 2)} />
        </div>
      ))}
      {open?.verb === "edit" && (
        <TemplateDialog settings={settings} onSaved={onSaved} name={open.name} onClose={close} />
      )}
      {open?.verb === "delete" && open.name !== undefined && <DeleteTemplate name={open.name} onClose={close} />}
    </SettingsSection>
  );
}

function DeleteTemplate({ name, onClose }: { name: string; onClose: () => void }) {
  const deletion = useSettingChange({
    change: (_, { templates: { [name]: _deleted, ...templates } }) => ({ templates }),
    done: `The template “${name}” was deleted`,
    onClose,
  });
  return (
    <ConfirmDialog
      action={deletion}
      title={`Delete the template “${name}”?`}
      description="Programs that request it are refused from now on. Tokens already issued are valid until they expire."
      verb="Delete template"
      danger
      onClose={onClose}
    />
  );
}

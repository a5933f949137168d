import { useRef, useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { sentence } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { TextAreaField } from "@/components/ui/text-field";
import { requireUnchanged } from "@/components/unchanged";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useEnvironmentChange } from "@/components/use-environment-change";
import { TemplatePreview } from "@/components/viewer-tokens/template-preview";
import { askToUpdateEnvironment, environmentsQuery } from "@/lib/environments/queries";
import { environmentUpdate } from "@/lib/environments/schema";

const EXAMPLE = '<dashboard-view token="{{userGroupToken}}" plan="{{properties.plan}}"></dashboard-view>';

const VARIABLES = [
  { name: "{{userGroupToken}}", means: "the user group’s token" },
  { name: "{{userGroupId}}", means: "its id" },
  { name: "{{userGroupName}}", means: "its name" },
  { name: "{{environment}}", means: "the environment’s slug" },
  { name: "{{properties.KEY}}", means: "one of its properties: replace KEY with its key" },
];

/** Changes the template, which each user group's page fills in. */
export function EmbedTemplateDialog({ template, onClose }: { template: string | null; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(template ?? "");
  const [opened] = useState(template);
  const change = useEnvironmentChange<FormData>({
    change: async (_, read) => {
      const { environments } = await read(environmentsQuery(slug));
      requireUnchanged(environments.find((one) => one.slug === slug)?.embedTemplate, opened);
      return askToUpdateEnvironment({ slug, embedTemplate: text });
    },
    isDone: (now) => now.some((one) => one.slug === slug && (one.embedTemplate ?? "") === (text.trim() && text)),
    done: () => ({ title: "The embed template was saved" }),
    onClose,
  });
  // The service's own check.
  const issue = environmentUpdate.shape.embedTemplate.safeParse(text).error?.issues[0]?.message;
  return (
    <ConfirmDialog
      verb="Save"
      action={change}
      wide
      sticky
      loses={text === (template ?? "") ? undefined : "Your changes to the template are lost."}
      title="Embed template"
      description="How your team embeds a dashboard, in any language. Each user group offers it with the placeholders filled in; add your own quotes around them."
      fields={["embedTemplate"]}
      onClose={onClose}
    >
      <div className="flex flex-col gap-2">
        <TextAreaField
          ref={field}
          label="Template"
          hint="Leave it empty for none."
          error={sentence(issue)}
          rows={7}
          value={text}
          onChange={({ target }) => setText(target.value)}
          spellCheck={false}
          placeholder={EXAMPLE}
          className="break-all font-mono text-xs"
        />
        <ul aria-label="Placeholders" className="flex flex-wrap gap-1.5">
          {VARIABLES.map(({ name, means }) => (
            <li key={name}>
              <Button
                size="small"
                onClick={() => insert(name, field.current)}
                title={`Insert ${means}`}
                className="font-mono"
              >
                {name}
              </Button>
            </li>
          ))}
        </ul>
      </div>
      <TemplatePreview template={text} environment={slug} />
    </ConfirmDialog>
  );
}

/** Inserts text at the cursor. The command is deprecated, but the only one that supports undo. */
function insert(text: string, field: HTMLTextAreaElement | null) {
  field?.focus();
  document.execCommand("insertText", false, text);
}

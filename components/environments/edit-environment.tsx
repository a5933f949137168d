"use client";

import { zodResolver } from "@hookform/resolvers/zod";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { TemplatePreview } from "@/components/environments/template-preview";
import { TemplateVariables } from "@/components/environments/template-variables";
import { useEnvironmentChange } from "@/components/environments/use-environment-change";
import { Failure } from "@/components/failure";
import { placeIssues, sentence } from "@/components/form-issues";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input, Textarea } from "@/components/ui/input";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import { askToUpdateEnvironment } from "@/lib/environments/queries";
import { type EnvironmentDetails, environmentUpdate } from "@/lib/environments/schema";

const NAMES = ["name", "embedTemplate"] as const;
const EXAMPLE = '<dashboard-view token="{{userGroupToken}}" plan="{{properties.plan}}"></dashboard-view>';

interface EditEnvironmentProps {
  environment: EnvironmentDetails;
  onClose: () => void;
}

export function EditEnvironment({ environment, onClose }: EditEnvironmentProps) {
  const { slug } = environment;
  const form = useForm({
    resolver: zodResolver(environmentUpdate.omit({ tag: true })),
    // A placeholder can be checked once its braces are closed.
    mode: "onChange",
    defaultValues: { slug, name: environment.name, embedTemplate: environment.embedTemplate ?? "" },
  });
  const { errors, isDirty } = form.formState;
  const [isLeaving, setIsLeaving] = useState(false);
  const template = useWatch({ control: form.control, name: "embedTemplate" });
  const update = useEnvironmentChange({
    change: askToUpdateEnvironment,
    isDone: (now, fields) =>
      now.some(
        (one) => one.slug === slug && one.name === fields.name && (one.embedTemplate ?? "") === fields.embedTemplate,
      ),
    failed: "Nothing was saved",
    onDone: ({ name }) => {
      toast({ title: `“${name}” was saved` });
      onClose();
    },
  });
  const submit = form.handleSubmit((fields) => update.run(fields, (error) => placeIssues(error, form, NAMES)));
  const isPlaced = NAMES.some((name) => errors[name]);
  return (
    <ActionDialog
      action={update}
      environment={environment}
      wide
      sticky
      onClose={() => (isDirty ? setIsLeaving(true) : onClose())}
      title={`Edit ${environment.name}`}
    >
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" error={sentence(errors.name?.message)}>
          {(control) => <Input {...form.register("name")} {...control} autoComplete="off" />}
        </Field>
        <div className="flex flex-col gap-2">
          <Field
            label="Embed template"
            hint="How your team embeds a dashboard, in any language. Each user group offers it with the variables filled in; add your own quotes around them. Optional."
            error={sentence(errors.embedTemplate?.message)}
          >
            {(control) => (
              <Textarea
                {...form.register("embedTemplate")}
                {...control}
                rows={7}
                spellCheck={false}
                placeholder={EXAMPLE}
                className="break-all font-mono text-xs"
              />
            )}
          </Field>
          <TemplateVariables onInsert={(variable) => insert(variable, () => form.setFocus("embedTemplate"))} />
        </div>
        <TemplatePreview template={template ?? ""} environment={slug} />
        {update.error && !isPlaced && <Failure title={update.failed} error={update.error} />}
        {isLeaving ? (
          <Notice tone="warning" role="alert" title="You have unsaved changes">
            <div className="flex flex-wrap gap-2 pt-1">
              <Button autoFocus onClick={() => setIsLeaving(false)}>
                Keep editing
              </Button>
              <Button variant="danger" onClick={onClose}>
                Discard changes
              </Button>
            </div>
          </Notice>
        ) : (
          <ActionButtons action={update} verb="Save" doing="Saving…" disabled={!isDirty} onClose={onClose} />
        )}
      </form>
    </ActionDialog>
  );
}

/** Inserts text at the cursor. The command is deprecated, but the only one that supports undo. */
function insert(text: string, focus: () => void) {
  focus();
  document.execCommand("insertText", false, text);
}

import { useState } from "react";
import { ActionForm } from "@/components/action-form";
import { SettingsSheet } from "@/components/environments/settings-sheet";
import { toastFailure } from "@/components/failure";
import { Button } from "@/components/ui/button";
import { TextAreaField, TextField } from "@/components/ui/text-field";
import { useAction } from "@/components/use-action";
import type { EnvironmentDetails } from "@/lib/environments/schema";
import { fetchDifferences } from "@/lib/settings/queries";

/** Applies settings from a file or from pasted text. */
export function ApplySettings({ environment, onClose }: { environment: EnvironmentDetails; onClose: () => void }) {
  const [text, setText] = useState("");
  const diff = useAction({
    act: (_: FormData) => fetchDifferences(environment.slug, text).then(() => text),
    failed: "The settings could not be compared",
  });
  return (
    <SettingsSheet
      isAllChosen
      target={environment}
      title={`Apply settings to ${environment.name}`}
      description="Parts that the file omits stay as they are; others are replaced whole."
      document={diff.answer}
      loses={text.trim() === "" ? undefined : "These settings have not been applied."}
      onClose={onClose}
      verb={`Apply to ${environment.name}`}
    >
      {diff.answer === undefined ? (
        <ActionForm action={diff} onSubmit={diff.run} verb="Show differences" disabled={!text.trim()} onClose={onClose}>
          <TextField
            label="File"
            hint="A file from Export settings."
            type="file"
            accept=".json,application/json"
            onChange={({ target }) => {
              target.files?.[0]
                ?.text()
                .then(setText, (error: unknown) => toastFailure("The file could not be read", error));
            }}
            className="h-auto py-1 pl-1 file:mr-3 file:h-6 file:rounded file:border-0 file:bg-pressed file:px-2.5 file:font-medium"
          />
          <TextAreaField
            label="Settings"
            rows={10}
            autoFocus={text !== ""}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="font-mono text-xs"
          />
        </ActionForm>
      ) : (
        <Button autoFocus onClick={diff.forget} className="self-start">
          Edit settings
        </Button>
      )}
    </SettingsSheet>
  );
}

import { useState } from "react";
import { SettingsSheet } from "@/components/environments/settings-sheet";
import { toastFailure } from "@/components/failure";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { TextAreaField, TextField } from "@/components/ui/text-field";
import type { EnvironmentDetails } from "@/lib/environments/schema";

/** Applies settings from a file or from pasted text. */
export function ApplySettings({ environment, onClose }: { environment: EnvironmentDetails; onClose: () => void }) {
  const [text, setText] = useState("");
  const [document, setDocument] = useState<string>();
  return (
    <SettingsSheet
      isAllChosen
      target={environment}
      title={`Apply settings to ${environment.name}`}
      description="Parts that the file omits stay as they are; others are replaced whole."
      document={document}
      loses={text.trim() === "" ? undefined : "These settings have not been applied."}
      onClose={onClose}
      verb={`Apply to ${environment.name}`}
    >
      {document === undefined ? (
        <form onSubmit={submitted(() => setDocument(text))} className="flex grow flex-col gap-4">
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
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className="font-mono text-xs"
          />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" disabled={text.trim() === ""}>
              Show differences
            </Button>
          </DialogActions>
        </form>
      ) : (
        <div>
          <Button onClick={() => setDocument(undefined)}>Edit settings</Button>
        </div>
      )}
    </SettingsSheet>
  );
}

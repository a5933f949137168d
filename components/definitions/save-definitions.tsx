import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { DefinitionDiff, type DefinitionDiffProps } from "@/components/definitions/definition-diff";
import { Failure } from "@/components/failure";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useReadAgain } from "@/components/use-read-groups";
import { activityKey } from "@/lib/audit/queries";
import { ApiError } from "@/lib/browser/api-client";
import {
  askToChangeDefinitions,
  definitionsKey,
  definitionsQuery,
  fetchDefinitions,
  lastDefinitionsChangeQuery,
  type StoredDefinitions,
} from "@/lib/definitions/queries";
import { type Definitions, definitions } from "@/lib/definitions/schema";
import type { FieldIssue } from "@/lib/errors";
import { readStoredMembers } from "@/lib/json/json";
import { writeJson } from "@/lib/json/raw-json";

interface SaveDefinitionsProps {
  base: StoredDefinitions;
  text: string;
  onClose: () => void;
  onReload: (theirs: StoredDefinitions) => void;
  onRefused: (issues: FieldIssue[]) => void;
  onSaved: (saved: StoredDefinitions) => void;
}

/** Shows what saving changes, and what someone else has changed since, before it saves. */
export function SaveDefinitions({ base, text, onClose, onReload, onRefused, onSaved }: SaveDefinitionsProps) {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const readAgain = useReadAgain([definitionsKey(slug), activityKey(slug)]);
  const [theirs, setTheirs] = useState<StoredDefinitions>();
  const over = theirs ?? base;
  const save = useAction<void, StoredDefinitions>({
    act: () => askToChangeDefinitions(slug, { version: over.version, text }),
    wasDone: async () => (await fetchDefinitions(slug)).text === whole(text),
    done: () => ({ title: "The rules were saved" }),
    onDone: async (answer) => {
      const saved = answer ?? (await fetchDefinitions(slug));
      client.setQueryData(definitionsQuery(slug).queryKey, saved);
      onSaved(saved);
      await readAgain();
    },
    onClose,
    onFailed: async (error, isShown) => {
      if (!(error instanceof ApiError)) return;
      if (error.code === "stale") setTheirs(await fetchDefinitions(slug));
      else if (error.code === "invalid_fields" && isShown) onRefused(error.issues);
    },
  });
  const mine = whole(text);
  return (
    <ActionDialog wide action={save} title={theirs ? "Overwrite the rules?" : "Save the rules?"} onClose={onClose}>
      {theirs && <Theirs base={base} theirs={theirs} onReload={() => onReload(theirs)} />}
      {/* Above the difference, which can have hundreds of rows. */}
      <EnforcementEffect before={over.text} after={mine} />
      <Difference title="Your changes" before={over.text} after={mine} />
      {save.error && !(theirs && isStale(save.error)) && <Failure title={save.failed} error={save.error} />}
      <form onSubmit={submitted(() => save.run())} className="flex flex-col gap-4">
        <ActionButtons
          action={save}
          verb={theirs ? "Overwrite" : "Save"}
          danger={theirs !== undefined}
          onClose={onClose}
        />
      </form>
    </ActionDialog>
  );
}

function isStale(error: Error): boolean {
  return error instanceof ApiError && error.code === "stale";
}

interface TheirsProps {
  base: StoredDefinitions;
  theirs: StoredDefinitions;
  onReload: () => void;
}

function Theirs({ base, theirs, onReload }: TheirsProps) {
  const { data: change } = useQuery(lastDefinitionsChangeQuery(useEnvironmentSlug(), theirs.version));
  return (
    <>
      <Notice
        tone="warning"
        role="alert"
        title={`${change?.actor.name ?? "Someone"} changed the rules while you were editing`}
        action={<Button onClick={onReload}>Reload</Button>}
      >
        <p>Nothing was saved. Reload to see theirs and discard yours, or overwrite to keep only yours.</p>
      </Notice>
      <Difference title="Their changes" before={base.text} after={theirs.text} />
    </>
  );
}

function Difference({ title, before, after }: { title: string; before: string; after: string }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <h3 className="font-medium">{title}</h3>
      <DefinitionDiff before={before} after={after} />
    </section>
  );
}

/** Definitions as the service stores them. */
function whole(text: string): string {
  return writeJson(definitions.parse(readStoredMembers(text)));
}

type Enforcement = Definitions["enforcement"];

/** How the change affects groups from now on, if it does. */
function EnforcementEffect({ before, after }: DefinitionDiffProps) {
  const [was, is] = [before, after].map((text): Enforcement => JSON.parse(text).enforcement);
  if (was === is) return null;
  if (is === "enforce") {
    return (
      <Notice tone="warning" title="Changes that add a problem will be refused">
        <p>This includes API calls, which get a 422. Existing problems do not block other changes.</p>
      </Notice>
    );
  }
  return (
    <Notice>
      <p>
        {is === "report"
          ? "Problems will be shown and counted, defaults will apply, and no change is refused."
          : "Nothing will be checked, and no defaults will apply."}
      </p>
    </Notice>
  );
}

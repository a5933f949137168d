import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { type Change, inWords, plain } from "@/components/changes/changes";
import { definitionParts } from "@/components/definitions/definition-changes";
import { DefinitionsTable } from "@/components/definitions/definitions-table";
import { type Draft, readDraft, writeDraft } from "@/components/definitions/draft";
import { issuesIn } from "@/components/definitions/problems";
import { Suggest } from "@/components/definitions/suggest";
import { Failure } from "@/components/failure";
import { LeaveUnsaved } from "@/components/leave-unsaved";
import { SaveBar, type UnsavedChange } from "@/components/save-bar";
import { submitted } from "@/components/submitted";
import { onDemand } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useSaveKey } from "@/components/use-save-key";
import { definitionsQuery, type StoredDefinitions } from "@/lib/definitions/queries";
import type { FieldIssue } from "@/lib/errors";

const saving = onDemand(() => import("@/components/definitions/save-definitions"));
const SaveDefinitions = saving.part("SaveDefinitions");

const NO_ISSUES: FieldIssue[] = [];

/** Edits definitions. Saving shows what changes first, and never overwrites a newer version unasked. */
function EditDefinitions({ stored }: { stored: StoredDefinitions }) {
  const id = useId();
  const canWrite = useCanWrite();
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(() => readDraft(stored.text));
  const [isChecked, setChecked] = useState(false);
  const [refused, setRefused] = useState<{ text: string; issues: FieldIssue[] }>();
  const [isSaving, setSaving] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const text = writeDraft(draft);
  const clean = writeDraft(readDraft(base.text));
  const isDirty = text !== clean;
  /** Anything typed since `sent` stays unsaved. */
  const reset = (to: StoredDefinitions, sent?: string) => {
    setBase(to);
    setDraft((now) => (sent === undefined || writeDraft(now) === sent ? readDraft(to.text, now) : now));
    setChecked(false);
    setRefused(undefined);
  };
  // A refetch must not change what is being edited.
  if (!isDirty && !isSaving && stored.version > base.version) reset(stored);

  const shown = useDeferredValue(text);
  const issues = useMemo(() => {
    if (!isChecked) return NO_ISSUES;
    const found = issuesOf(draft);
    return found.length > 0 || refused?.text !== text ? found : refused.issues;
  }, [isChecked, draft, text, refused]);

  const check = async () => {
    if (!isDirty) return;
    setChecked(true);
    if (issuesOf(draft).length > 0) focusWrong(form.current);
    else if (await saving.loadOrTell()) setSaving(true);
  };
  useSaveKey(check, isDirty && !isSaving);
  useEffect(() => {
    // Loaded now, in case the connection is lost before saving.
    if (isDirty) saving.load().catch(() => undefined);
  }, [isDirty]);

  return (
    <form ref={form} id={id} noValidate onSubmit={submitted(check)} aria-label="Rules" className="flex flex-col gap-8">
      {canWrite && (
        <div>
          <Suggest draft={draft} onTake={setDraft} />
        </div>
      )}
      <DefinitionsTable draft={draft} onChange={setDraft} issues={issues} readOnly={!canWrite} />
      {isDirty &&
        canWrite &&
        createPortal(
          <SaveBar
            form={id}
            changes={changesOf(base.text, shown === clean ? text : shown)}
            problems={issues.map(({ path, message }) => ({
              text: `${path.slice(1).join(": ")} ${message}`,
              onGo: () => focusWrong(form.current),
            }))}
            isSaving={isSaving}
            failure={undefined}
            onDiscard={() => reset(base)}
          />,
          // As wide as the panel, which is wider than the page.
          document.getElementById("content") ?? document.body,
        )}
      <LeaveUnsaved isDirty={isDirty && canWrite} onDiscard={() => reset(base)} />
      {isSaving && (
        <SaveDefinitions
          base={base}
          text={text}
          onClose={() => setSaving(false)}
          onReload={(theirs) => {
            reset(theirs);
            setSaving(false);
          }}
          onRefused={(issues) => {
            setSaving(false);
            setRefused({ text, issues });
            focusWrong(form.current);
          }}
          onSaved={(saved) => reset(saved, text)}
        />
      )}
    </form>
  );
}

/** Why rows cannot be saved. */
function issuesOf(draft: Draft): FieldIssue[] {
  return [...repeatedNames(draft), ...issuesIn(writeDraft(draft))];
}

/** Issues with repeated names; JSON text alone would not show which row repeats one. */
function repeatedNames({ properties, schemas, data_sources }: Draft): FieldIssue[] {
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const named = [
    ["properties", properties.map(({ name }) => name)],
    ["schemas", ids(schemas)],
    ["data_sources", ids(data_sources)],
  ] as const;
  return named.flatMap(([member, names]) =>
    names
      .filter((name, at) => names.indexOf(name) < at)
      .map((name) => ({ path: [member, name], message: "is used more than once" })),
  );
}

function changesOf(before: string, after: string): UnsavedChange[] {
  const changes = definitionParts(before, after).flatMap(({ label, changes }) => {
    // A suggestion may add hundreds of ids without a name.
    const isNameless = ({ before, after = "" }: Change) => before === undefined && !after.startsWith("name ");
    const nameless = label === "Properties" || label === "Settings" ? [] : changes.filter(isNameless);
    const folded = nameless.length > 1 ? nameless : [];
    return [
      ...changes
        .filter((one) => !folded.includes(one))
        .map(({ key = label, before, after }) => ({
          label: key || '""',
          before: before === undefined ? undefined : inWords(plain(before)),
          after: after === undefined ? undefined : inWords(plain(after)),
        })),
      ...(folded.length > 0
        ? [{ label: `${folded.length} ${label.toLowerCase()}`, before: undefined, after: undefined }]
        : []),
    ];
  });
  return changes.length > 0 ? changes : [{ label: "the order", before: undefined, after: undefined }];
}

/** Focuses the first wrong field, once the fields show their issues. */
function focusWrong(form: HTMLFormElement | null) {
  setTimeout(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}

/** The rules for an environment's groups. */
export function Rules() {
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(definitionsQuery(slug));
  if (data) return <EditDefinitions key={slug} stored={data} />;
  if (!error) return <Skeleton className="h-96 rounded-xl" />;
  return <Failure title="The rules could not be loaded" error={error} onRetry={refetch} />;
}

import { useQuery } from "@tanstack/react-query";
import {
  type Dispatch,
  type SetStateAction,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { type Change, inWords, plain } from "@/components/changes/changes";
import { definitionParts } from "@/components/definitions/definition-changes";
import { DefinitionsJson } from "@/components/definitions/definitions-json";
import { DefinitionsTable } from "@/components/definitions/definitions-table";
import { type Draft, readDraft, writeDraft } from "@/components/definitions/draft";
import { issuesIn, problemsIn } from "@/components/definitions/problems";
import { Suggest } from "@/components/definitions/suggest";
import { Failure } from "@/components/failure";
import { findProblems } from "@/components/json-editor/problems";
import { LeaveUnsaved } from "@/components/leave-unsaved";
import { SaveBar, type UnsavedChange } from "@/components/save-bar";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { onDemand } from "@/components/ui/on-demand";
import { Segmented } from "@/components/ui/segmented";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useSaveKey } from "@/components/use-save-key";
import { definitionsQuery, type StoredDefinitions } from "@/lib/definitions/queries";
import type { FieldIssue } from "@/lib/errors";
import { formatJson } from "@/lib/json/format";
import { compactObject } from "@/lib/json/json";

const saving = onDemand(() => import("@/components/definitions/save-definitions"));
const SaveDefinitions = saving.part("SaveDefinitions");

type DefinitionsView = "table" | "json";
const VIEWS: { value: DefinitionsView; label: string }[] = [
  { value: "table", label: "Table" },
  { value: "json", label: "JSON" },
];

/** Definitions as they are edited. */
interface Edited {
  view: DefinitionsView;
  text: string;
  /** undefined for JSON of another shape */
  draft: Draft | undefined;
}

const NO_ISSUES: FieldIssue[] = [];

/**
 * Edits definitions as rows or as JSON. Saving shows what changes first, and never overwrites a newer version unasked.
 */
function EditDefinitions({ stored }: { stored: StoredDefinitions }) {
  const id = useId();
  const canWrite = useCanWrite();
  const [base, setBase] = useState(stored);
  const [edited, setEdited] = useState(() => open(stored.text, "table"));
  const [isChecked, setChecked] = useState(false);
  const [refused, setRefused] = useState<{ text: string; issues: FieldIssue[] }>();
  const [isSaving, setSaving] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const text = compact(edited.text);
  const clean = open(base.text, "table").text;
  const isDirty = text !== clean;
  const { view } = edited;
  const show = (next: DefinitionsView) => setEdited(open(edited.text, next));
  /** What was typed since `sent` stays unsaved. */
  const reset = (to: StoredDefinitions, sent?: string) => {
    setBase(to);
    setEdited((now) => (sent === undefined || compact(now.text) === sent ? open(to.text, now.view) : now));
    setChecked(false);
    setRefused(undefined);
    setSaving(false);
  };
  // A refetch must not change what is being edited.
  if (!isDirty && !isSaving && stored.version > base.version) reset(stored);

  const shown = useDeferredValue(text);
  const issues = useMemo(() => {
    if (!isChecked || !edited.draft) return NO_ISSUES;
    const found = [...repeatedNames(edited.draft), ...issuesIn(edited.text)];
    return found.length > 0 || refused?.text !== compact(edited.text) ? found : refused.issues;
  }, [isChecked, edited, refused]);

  const check = async () => {
    if (!isDirty) return;
    setChecked(true);
    const isWrong =
      view === "table" && edited.draft
        ? repeatedNames(edited.draft).length + issuesIn(edited.text).length > 0
        : problemsIn(edited.text).length > 0;
    if (isWrong) focusWrong(form.current);
    else if (await saving.loadOrTell()) setSaving(true);
  };
  useSaveKey(check, isDirty && !isSaving);
  useEffect(() => {
    // Before the connection may be lost.
    if (isDirty) saving.load().catch(() => undefined);
  }, [isDirty]);

  return (
    <form ref={form} id={id} noValidate onSubmit={submitted(check)} aria-label="Rules" className="flex flex-col gap-8">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented label="View of the rules" value={view} options={VIEWS} onChange={show} />
        {canWrite && edited.draft && (
          <Suggest draft={edited.draft} onTake={(draft) => setEdited(open(writeDraft(draft), view))} />
        )}
      </div>
      <DefinitionsEditor
        edited={edited}
        onEdit={setEdited}
        onShow={show}
        issues={view === "table" ? issues : refused?.text === text ? refused.issues : NO_ISSUES}
        readOnly={!canWrite}
      />
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
          onReload={reset}
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

interface DefinitionsEditorProps {
  edited: Edited;
  onEdit: Dispatch<SetStateAction<Edited>>;
  onShow: (view: DefinitionsView) => void;
  issues: FieldIssue[];
  readOnly: boolean;
}

function DefinitionsEditor({ edited, onEdit, onShow, issues, readOnly }: DefinitionsEditorProps) {
  const { view, text, draft } = edited;
  if (view === "json") {
    const edit = (typed: string) => onEdit({ view, text: typed, draft: undefined });
    return <DefinitionsJson value={text} onChange={edit} issues={issues} readOnly={readOnly} />;
  }
  if (draft) {
    const edit = (change: (now: Draft) => Draft) => onEdit((now) => (now.draft ? changed(change(now.draft)) : now));
    return <DefinitionsTable draft={draft} onChange={edit} issues={issues} readOnly={readOnly} />;
  }
  return (
    <Notice
      tone="warning"
      title="The table needs rules without these problems"
      action={<Button onClick={() => onShow("json")}>Go to the JSON</Button>}
    >
      <p>{problemsIn(text)[0]?.message ?? "They have another shape."}</p>
    </Notice>
  );
}

function open(text: string, view: DefinitionsView): Edited {
  const draft = readDraft(text);
  if (view === "json") return { view, text: formatJson(draft ? writeDraft(draft) : text), draft };
  return draft ? changed(draft) : { view, text, draft };
}

function changed(draft: Draft): Edited {
  return { view: "table", text: writeDraft(draft), draft };
}

/** JSON without white space; any other text as it is. */
const compact = (text: string) => compactObject(text) ?? text;

/** JSON cannot say where a name is used again. */
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
  if (findProblems(after).length > 0) return [{ label: "JSON", before: undefined, after: undefined }];
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

/** Once the fields show what is wrong. */
function focusWrong(form: HTMLFormElement | null) {
  setTimeout(() => form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
}

/** What every group of an environment must have. */
export function Rules() {
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(definitionsQuery(slug));
  if (data) return <EditDefinitions key={slug} stored={data} />;
  if (!error) return <Skeleton className="h-96 rounded-xl" />;
  return <Failure title="The rules could not be loaded" error={error} onRetry={refetch} />;
}

import {
  type ChangeEvent,
  type FormEvent,
  memo,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { useGuides } from "@/components/definitions/use-guides";
import { Failure } from "@/components/failure";
import { issuesByField, sentence } from "@/components/form-issues";
import { textsOf, unsavedChanges } from "@/components/groups/group-changes";
import {
  type FieldName,
  type GroupFields,
  importSchema,
  NAMES,
  useGroupFields,
  type Values,
} from "@/components/groups/use-group-fields";
import { JsonField } from "@/components/json-editor/json-field";
import type { FieldReport } from "@/components/json-editor/use-field-report";
import { LeaveUnsaved } from "@/components/leave-unsaved";
import { SaveBar } from "@/components/save-bar";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/text-field";
import { useSaveKey } from "@/components/use-save-key";
import { load, whenIdle } from "@/lib/browser/load";
import type { GroupForm as Fields } from "@/lib/groups/schema";
import { compactObject } from "@/lib/json/json";

/** Memoized, so that typing in one sheet does not render the other. */
const Sheet = memo(JsonField);

interface GroupFormProps {
  /** initial values */
  fields: Fields;
  /** the id of an existing group is fixed */
  isNew: boolean;
  readOnly?: boolean;
  /** a conflict's dialog is saving the form */
  isSettling?: boolean;
  /** errors it throws show at their field or on the form */
  onSave: (values: Values, form: GroupFields, focus: (name: FieldName) => void) => Promise<void>;
  onDirty?: (dirty: boolean) => void;
  /** called on a field error, to bring the fields into view */
  onWrong?: () => Promise<unknown>;
  /** where the save bar is rendered: outside the tabs */
  barPlace?: Element | null;
  /** above the fields */
  children?: ReactNode;
}

/** Creates or edits a group. */
export function GroupForm(props: GroupFormProps) {
  const { fields, isNew, readOnly = false, onDirty, barPlace, children } = props;
  const guides = useGuides();
  const id = useId();
  const form = useGroupFields(fields, isNew);
  const { outside, saved, values, errors, isDirty, set } = form;
  const { reports, sheets } = useReports(set);
  // The typed character shows before the bar does.
  const hasBar = useDeferredValue(isDirty) && isDirty;
  // Loaded now, in case the connection is lost before saving.
  useEffect(() => whenIdle(() => void load(importSchema).catch(() => undefined)), []);
  useEffect(() => onDirty?.(isDirty), [isDirty, onDirty]);
  const controls = {
    user_group_id: useRef<HTMLInputElement>(null),
    name: useRef<HTMLInputElement>(null),
    properties: useRef<{ focus(): void }>(null),
    mapping: useRef<{ focus(): void }>(null),
  };
  const { save, show, isSaving, failure, forget } = useSaving(form, props, (name) => controls[name].current?.focus());

  const changes = useMemo(() => {
    if (!hasBar) return [];
    const texts = textsOf(saved);
    const readable = (name: SheetName) => readableOf(reports[name], values[name], texts[name]);
    return unsavedChanges(texts, {
      name: values.name,
      properties: readable("properties"),
      mapping: readable("mapping"),
    });
  }, [hasBar, saved, values, reports]);
  const problems = [
    ...(errors.name === undefined ? [] : [{ field: "name" as const, text: `the name ${errors.name}` }]),
    ...SHEETS.flatMap((field) => (reports[field]?.problems ?? []).map((text) => ({ field, text }))),
  ].map(({ field, text }) => ({ text, onGo: () => void show(field) }));
  const discard = () => {
    forget();
    form.rebase(fields);
  };
  const fieldOf = (name: "user_group_id" | "name") => ({
    ref: controls[name],
    name,
    value: values[name],
    error: sentence(errors[name]),
    autoComplete: "off",
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => set(name, target.value),
  });
  const sheetOf = (name: SheetName) => ({
    ref: controls[name],
    value: values[name],
    error: sentence(errors[name]),
    readOnly,
    guide: guides?.[name],
    saved: isNew ? undefined : saved[name],
    ...sheets[name],
  });
  return (
    // With this method, Enter sends nothing before hydration.
    <form id={id} method="dialog" onSubmit={save} noValidate className="flex min-w-0 flex-col gap-5">
      {children}
      <div className="grid gap-4 md:grid-cols-[repeat(2,minmax(0,22rem))]">
        {isNew && (
          <TextField
            label="Id"
            hint="Your own id for this customer, as your program uses it."
            {...fieldOf("user_group_id")}
            autoFocus
            className="font-mono"
          />
        )}
        <TextField label="Name" {...fieldOf("name")} readOnly={readOnly} />
      </div>
      <div className="grid items-start gap-x-6 gap-y-5 xl:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        {/* With others' rows the focus could be in another one, and Undo would bring back the former text. */}
        <Sheet
          key={`properties ${outside.properties}`}
          {...sheetOf("properties")}
          label="Properties"
          description="Values your dashboards and SQL can use, such as plan or region."
          nullable
        />
        <Sheet
          key={`mapping ${outside.mapping}`}
          {...sheetOf("mapping")}
          label="Mapping"
          description="Which data source each schema reads from."
          words={MAPPING_WORDS}
          types={MAPPING_TYPES}
        />
      </div>
      {isNew && failure && (
        <div ref={scrollTo}>
          <Failure title="Nothing was saved" error={failure} />
        </div>
      )}
      {isNew && (
        <Button type="submit" variant="primary" disabled={isSaving} className="self-start">
          Create user group
        </Button>
      )}
      {hasBar &&
        barPlace &&
        createPortal(
          <SaveBar
            form={id}
            changes={changes}
            problems={problems}
            isSaving={isSaving}
            failure={failure}
            onDiscard={discard}
          />,
          barPlace,
        )}
      <LeaveUnsaved isDirty={isDirty} onDiscard={discard} />
    </form>
  );
}

const scrollTo = (place: Element | null) => place?.scrollIntoView({ block: "nearest" });

const SHEETS = ["properties", "mapping"] as const;
type SheetName = (typeof SHEETS)[number];

/** The sheets' reports, and their callbacks. */
function useReports(set: GroupFields["set"]) {
  const [reports, setReports] = useState<Partial<Record<SheetName, FieldReport>>>({});
  const sheets = useMemo(() => {
    const callsOf = (name: SheetName) => ({
      onChange: (value: string) => set(name, value),
      onReport: (report: FieldReport) => setReports((now) => ({ ...now, [name]: report })),
    });
    return { properties: callsOf("properties"), mapping: callsOf("mapping") };
  }, [set]);
  return { reports, sheets };
}

/** Saves the form, or shows what prevents it. */
function useSaving(form: GroupFields, props: GroupFormProps, focus: (name: FieldName) => void) {
  const { isNew, isSettling = false, onSave, onWrong } = props;
  const [isSending, setSending] = useState(false);
  const isSaving = isSending || isSettling;
  const [failure, setFailure] = useState<Error>();
  const show = async (name: FieldName | undefined) => {
    await onWrong?.();
    // Once the field is marked.
    if (name) setTimeout(() => focus(name));
  };
  const showWrong = () => show(NAMES.find((name) => form.now().errors[name] !== undefined));
  const send = async () => {
    const checked = await form.check().catch(() => {
      throw new Error("The form could not be checked. Check the connection, then try again.");
    });
    if (checked) await onSave(checked, form, focus);
    else await showWrong();
  };
  const save = async (event?: FormEvent) => {
    event?.preventDefault();
    setFailure(undefined);
    setSending(true);
    try {
      await send();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const issues = issuesByField(error, NAMES);
      if (issues.length === 0) return setFailure(error);
      form.setErrors(Object.fromEntries(issues));
      await showWrong();
    } finally {
      setSending(false);
    }
  };
  useSaveKey(save, (form.isDirty || isNew) && !isSaving);
  return { save, show, isSaving, failure, forget: () => setFailure(undefined) };
}

/** What a field would store. While it is not valid JSON, it counts as unchanged. */
function readableOf(report: FieldReport | undefined, value: string, saved: string): string {
  const text = report ? (report.readable ?? saved) : value;
  return compactObject(text) ?? saved;
}

const MAPPING_WORDS = { key: "Schema", value: "Data source", isMapping: true };
const MAPPING_TYPES = ["string", "number", "json"] as const;

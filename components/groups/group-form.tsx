import {
  type FormEvent,
  memo,
  type ReactNode,
  useCallback,
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

/** Typing in one sheet leaves the other as it is. */
const Sheet = memo(JsonField);

interface GroupFormProps {
  /** initial values */
  fields: Fields;
  /** the id of an existing group is fixed */
  isNew: boolean;
  readOnly?: boolean;
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
  const { fields, isNew, readOnly = false, onSave, onDirty, onWrong, barPlace, children } = props;
  const guides = useGuides();
  const id = useId();
  const form = useGroupFields(fields);
  const { saved, values, errors, isDirty, set } = form;
  const [isSaving, setSaving] = useState(false);
  // The typed character shows before the bar does.
  const hasBar = useDeferredValue(isDirty) && isDirty;
  const [failure, setFailure] = useState<Error>();
  // Before the connection may be lost.
  useEffect(() => whenIdle(() => void load(importSchema).catch(() => undefined)), []);
  useEffect(() => onDirty?.(isDirty), [isDirty, onDirty]);
  const failurePlace = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure) failurePlace.current?.scrollIntoView({ block: "nearest" });
  }, [failure]);
  const controls = {
    user_group_id: useRef<HTMLInputElement>(null),
    name: useRef<HTMLInputElement>(null),
    properties: useRef<{ focus(): void }>(null),
    mapping: useRef<{ focus(): void }>(null),
  };
  const focus = (name: FieldName) => controls[name].current?.focus();
  const setProperties = useCallback((value: string) => set("properties", value), [set]);
  const setMapping = useCallback((value: string) => set("mapping", value), [set]);
  const [properties, reportProperties] = useState<FieldReport>();
  const [mapping, reportMapping] = useState<FieldReport>();

  const show = async (name: FieldName | undefined) => {
    await onWrong?.();
    // Once it is marked.
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
    setSaving(true);
    try {
      await send();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const issues = issuesByField(error, NAMES);
      if (issues.length === 0) return setFailure(error);
      form.setErrors(Object.fromEntries(issues));
      await showWrong();
    } finally {
      setSaving(false);
    }
  };
  useSaveKey(save, (isDirty || isNew) && !isSaving);

  const message = (name: FieldName) =>
    errors[name] === "must not be empty" ? `Enter ${name === "name" ? "a name" : "an id"}.` : sentence(errors[name]);
  const changes = useMemo(() => {
    if (!hasBar) return [];
    const texts = textsOf(saved);
    return unsavedChanges(texts, {
      name: values.name,
      properties: readableOf(properties, values.properties, texts.properties),
      mapping: readableOf(mapping, values.mapping, texts.mapping),
    });
  }, [hasBar, saved, values, properties, mapping]);
  const problems = [
    ...(errors.name === undefined ? [] : [{ field: "name" as const, text: `the name ${errors.name}` }]),
    ...(properties?.problems ?? []).map((text) => ({ field: "properties" as const, text })),
    ...(mapping?.problems ?? []).map((text) => ({ field: "mapping" as const, text })),
  ].map(({ field, text }) => ({ text, onGo: () => void show(field) }));
  return (
    // With this method, Enter sends nothing before hydration.
    <form id={id} method="dialog" onSubmit={save} noValidate className="flex min-w-0 flex-col gap-5">
      {children}
      <div className="grid gap-4 md:grid-cols-[repeat(2,minmax(0,22rem))]">
        {isNew && (
          <TextField
            label="Id"
            hint="Your own id for this customer, as your program uses it. It cannot be changed later."
            error={message("user_group_id")}
            ref={controls.user_group_id}
            name="user_group_id"
            value={values.user_group_id}
            onChange={({ target }) => set("user_group_id", target.value)}
            autoFocus
            autoComplete="off"
            className="font-mono"
          />
        )}
        <TextField
          label="Name"
          error={message("name")}
          ref={controls.name}
          name="name"
          value={values.name}
          onChange={({ target }) => set("name", target.value)}
          autoComplete="off"
          readOnly={readOnly}
        />
      </div>
      <div className="grid items-start gap-x-6 gap-y-5 xl:grid-cols-[minmax(0,1.35fr)_minmax(0,1fr)]">
        <Sheet
          ref={controls.properties}
          value={values.properties}
          onChange={setProperties}
          label="Properties"
          description="Values your dashboards and SQL can use, such as plan or region."
          saved={isNew ? undefined : saved.properties}
          error={message("properties")}
          onReport={reportProperties}
          readOnly={readOnly}
          guide={guides?.properties}
          nullable
        />
        <Sheet
          ref={controls.mapping}
          value={values.mapping}
          onChange={setMapping}
          label="Mapping"
          description="Which data source each schema reads from."
          words={MAPPING_WORDS}
          saved={isNew ? undefined : saved.mapping}
          error={message("mapping")}
          onReport={reportMapping}
          readOnly={readOnly}
          types={MAPPING_TYPES}
          guide={guides?.mapping}
        />
      </div>
      {isNew && (
        <>
          {failure && (
            <div ref={failurePlace}>
              <Failure title="Nothing was saved" error={failure} />
            </div>
          )}
          <div className="flex gap-2">
            <Button type="submit" variant="primary" disabled={isSaving}>
              Create user group
            </Button>
          </div>
        </>
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
            onDiscard={() => {
              setFailure(undefined);
              form.rebase(fields);
            }}
          />,
          barPlace,
        )}
      <LeaveUnsaved isDirty={isDirty} onDiscard={() => form.rebase(fields)} />
    </form>
  );
}

/** What a field would store; while it is not valid JSON, nothing of it counts as changed. */
function readableOf(report: FieldReport | undefined, value: string, saved: string): string {
  const text = report ? (report.readable ?? saved) : value;
  return compactObject(text) ?? saved;
}

const MAPPING_WORDS = { key: "Schema", value: "Data source", isMapping: true };
const MAPPING_TYPES = ["string", "number", "json"] as const;

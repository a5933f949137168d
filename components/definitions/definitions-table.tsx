import { useId } from "react";
import type { Draft, SchemaDraft, SourceDraft } from "@/components/definitions/draft";
import { type IdColumn, IdSheet } from "@/components/definitions/id-sheet";
import { PropertySheet } from "@/components/definitions/property-sheet";
import { ChoiceCards } from "@/components/ui/choice-cards";
import { Notice } from "@/components/ui/notice";
import type { FieldIssue } from "@/lib/errors";

interface DefinitionsTableProps {
  draft: Draft;
  onChange: (change: (draft: Draft) => Draft) => void;
  issues: FieldIssue[];
  readOnly: boolean;
}

const SCHEMA_COLUMNS: IdColumn<SchemaDraft>[] = [
  { name: "id", label: "Schema id", isCode: true },
  { name: "name", label: "Name" },
  { name: "required", label: "Required" },
];
const SOURCE_COLUMNS: IdColumn<SourceDraft>[] = [
  { name: "id", label: "Data source id", isCode: true },
  { name: "name", label: "Name" },
  { name: "provided_id", label: "Your id", isCode: true },
  { name: "schemas", label: "Only for schemas", isCode: true },
];

const ENFORCEMENT = [
  { value: "off", label: "Off", hint: "Nothing is checked, and no defaults apply." },
  {
    value: "report",
    label: "Report",
    hint: "Every change is accepted. Problems are counted, shown on the group and reported to renderers. Defaults apply.",
  },
  {
    value: "enforce",
    label: "Enforce",
    hint: "A change that adds a problem is refused. Existing problems do not block other changes.",
  },
];
const CREATIONS = [
  {
    value: "report",
    label: "Create it, and report its problems",
    hint: "For pages that create a group when it is first read.",
  },
  { value: "enforce", label: "Refuse it", hint: "The page or program that requested the group gets an error." },
];
const OTHERS = [
  { value: "allow", label: "Allow", hint: "A group may have properties that are not listed here." },
  { value: "refuse", label: "Refuse", hint: "A property that is not listed here is a problem." },
];

/** Definitions as rows. */
export function DefinitionsTable({ draft, onChange, issues, readOnly }: DefinitionsTableProps) {
  const set = (fields: Partial<Draft>) => onChange((now) => ({ ...now, ...fields }));
  const of = (member: string) => issues.filter(({ path }) => path[0] === member);
  return (
    <div className="flex flex-col gap-8">
      {issues
        .filter(({ path }) => path.length === 0)
        .map(({ message }) => (
          <Notice key={message} tone="danger" role="alert" title={`The rules ${message}.`} />
        ))}
      <div className="flex flex-col gap-4">
        <Choice
          label="When a group has problems"
          options={ENFORCEMENT}
          value={draft.enforcement}
          onChange={(enforcement) => set({ enforcement })}
          readOnly={readOnly}
        />
        {draft.enforcement === "enforce" && (
          <Choice
            label="When a new group has problems"
            options={CREATIONS}
            value={draft.creations}
            onChange={(creations) => set({ creations })}
            readOnly={readOnly}
          />
        )}
      </div>
      <PropertySheet
        rows={draft.properties}
        onChange={(change) => onChange((now) => ({ ...now, properties: change(now.properties) }))}
        issues={of("properties")}
        readOnly={readOnly}
      />
      <Choice
        label="Other properties"
        options={OTHERS}
        value={draft.unknown_properties}
        onChange={(unknown_properties) => set({ unknown_properties })}
        readOnly={readOnly}
      />
      <IdSheet
        title="Schemas"
        hint="The schemas that a mapping may name. Without any, schema ids are not checked."
        add="Add schema"
        columns={SCHEMA_COLUMNS}
        widths="sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_96px_34px]"
        rows={draft.schemas}
        blank={{ id: "", name: "", required: false }}
        onChange={(change) => onChange((now) => ({ ...now, schemas: change(now.schemas) }))}
        issues={of("schemas")}
        readOnly={readOnly}
      />
      <IdSheet
        title="Data sources"
        hint="The data sources that schemas may read from. Without any, data source ids are not checked."
        add="Add data source"
        columns={SOURCE_COLUMNS}
        widths="sm:grid-cols-[repeat(4,minmax(0,1fr))_34px]"
        rows={draft.data_sources}
        blank={{ id: "", name: "", provided_id: "", schemas: "" }}
        onChange={(change) => onChange((now) => ({ ...now, data_sources: change(now.data_sources) }))}
        issues={of("data_sources")}
        readOnly={readOnly}
      />
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  options: { value: string; label: string; hint: string }[];
  value: Value;
  onChange: (value: Value) => void;
  readOnly: boolean;
}

function Choice<Value extends string>({ value, onChange, readOnly, ...cards }: ChoiceProps<Value>) {
  return (
    <ChoiceCards
      isRow
      name={useId()}
      disabled={readOnly}
      checkedValue={value}
      onChange={({ target }) => onChange(target.value as Value)}
      {...cards}
    />
  );
}

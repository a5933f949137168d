import { type MouseEventHandler, type ReactNode, useId } from "react";
import type { PropertyDraft } from "@/components/definitions/draft";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { SelectField } from "@/components/ui/select";
import { TextAreaField, TextField } from "@/components/ui/text-field";
import { PROPERTY_TYPES, type PropertyType } from "@/lib/definitions/value-types";

interface PropertyFieldsProps {
  row: PropertyDraft;
  error: (field: keyof PropertyDraft) => string | undefined;
  onEdit: (fields: Partial<PropertyDraft>) => void;
  onRemove: MouseEventHandler;
}

const TYPES = PROPERTY_TYPES.map((value) => ({ value, label: value }));
/** Example input for each type. */
export const EXAMPLES: Partial<Record<PropertyType, string>> = {
  boolean: "true",
  date: "2026-11-30",
  object: '{"unit":"EUR"}',
  "string[]": '["eu","us"]',
  "integer[]": "[1,2]",
  "number[]": "[0.5,1]",
  "boolean[]": "[true,false]",
  "date[]": '["2026-11-30"]',
};

/** The fields of a property. */
export function PropertyFields({ row, error, onEdit, onRemove }: PropertyFieldsProps) {
  const { name, type, description, enum: allowed } = row;
  return (
    <div className="grid gap-4 px-3 pt-1 pb-4 sm:grid-cols-3">
      <TextField
        label="Name"
        error={error("name")}
        isLiteral
        // A property that was just added.
        autoFocus={name === ""}
        value={name}
        onChange={({ target }) => onEdit({ name: target.value })}
        className="font-mono"
      />
      <SelectField
        label="Type"
        error={error("type")}
        value={type}
        options={TYPES}
        onChange={(type) => onEdit({ type })}
        className="w-full"
      />
      <TextField
        label="Default"
        hint="Used when a group has no value."
        error={error("default")}
        isLiteral
        value={row.default}
        placeholder={EXAMPLES[type]}
        onChange={({ target }) => onEdit({ default: target.value })}
        className="font-mono"
      />
      <div className="sm:col-span-2">
        <TextAreaField
          label="Description"
          hint="For people who edit groups."
          error={error("description")}
          rows={2}
          value={description}
          onChange={({ target }) => onEdit({ description: target.value })}
          className="field-sizing-content max-h-48 min-h-14"
        />
      </div>
      <TextAreaField
        label="Allowed values"
        hint="One per line. Leave empty to allow any value."
        error={error("enum")}
        spellCheck={false}
        autoComplete="off"
        rows={2}
        value={allowed}
        onChange={({ target }) => onEdit({ enum: target.value })}
        className="field-sizing-content max-h-48 min-h-14 font-mono text-xs"
      />
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 sm:col-span-3">
        <div className="flex flex-wrap gap-x-6 gap-y-3">
          <Flag isOn={row.required} onChange={(required) => onEdit({ required })}>
            Required
          </Flag>
          <Flag isOn={row.viewer_visible} onChange={(viewer_visible) => onEdit({ viewer_visible })}>
            Viewers can read it
          </Flag>
          <Flag isOn={row.overridable} onChange={(overridable) => onEdit({ overridable })}>
            Viewer tokens may override it
          </Flag>
        </div>
        <Button size="small" onClick={onRemove}>
          Remove{name && <span className="sr-only"> {name}</span>}
        </Button>
      </div>
    </div>
  );
}

function Flag({ isOn, onChange, children }: { isOn: boolean; onChange: (isOn: boolean) => void; children: ReactNode }) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-center gap-2">
      <Checkbox id={id} checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      {children}
    </label>
  );
}

import { useState } from "react";
import { nextKey, type PropertyDraft } from "@/components/definitions/draft";
import { issuesByName } from "@/components/definitions/problems";
import { PROPERTY_COLUMNS, PropertyRow } from "@/components/definitions/property-row";
import { Sheet } from "@/components/definitions/sheet";
import type { FieldIssue } from "@/lib/errors";

interface PropertySheetProps {
  rows: PropertyDraft[];
  onChange: (change: (rows: PropertyDraft[]) => PropertyDraft[]) => void;
  issues: FieldIssue[];
  readOnly: boolean;
}

const BLANK: Omit<PropertyDraft, "key"> = {
  name: "",
  type: "string",
  required: false,
  default: "",
  enum: "",
  description: "",
  overridable: false,
  viewer_visible: false,
};

/** Properties as rows that open for editing. */
export function PropertySheet({ rows, onChange, issues, readOnly }: PropertySheetProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = (key: number) =>
    setOpen((now) => new Set(now.has(key) ? [...now].filter((one) => one !== key) : [...now, key]));
  const add = () => {
    const key = nextKey(rows);
    onChange((now) => [...now, { ...BLANK, key }]);
    setOpen((now) => new Set(now).add(key));
  };
  const byName = issuesByName(issues);
  return (
    <Sheet
      title="Properties"
      hint="Values that dashboards and SQL can use. Defaults apply when a group is read, and are never stored."
      count={rows.length}
      heads={["Name", "Type", "Default", "Allowed values"]}
      grid={PROPERTY_COLUMNS}
      none="No properties are defined."
      add={readOnly ? undefined : { label: "Add property", onClick: add }}
      problem={byName.get(undefined)?.[0]?.message}
    >
      {rows.map((row) => (
        <PropertyRow
          key={row.key}
          row={row}
          isOpen={open.has(row.key)}
          issues={byName.get(row.name) ?? []}
          readOnly={readOnly}
          onToggle={() => toggle(row.key)}
          onEdit={(fields) => onChange((now) => now.map((one) => (one.key === row.key ? { ...one, ...fields } : one)))}
          onRemove={() => onChange((now) => now.filter(({ key }) => key !== row.key))}
        />
      ))}
    </Sheet>
  );
}

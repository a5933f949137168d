import { nextKey, type PropertyDraft } from "@/components/definitions/draft";
import { issuesByName } from "@/components/definitions/problems";
import { PROPERTY_COLUMNS, PropertyRow } from "@/components/definitions/property-row";
import { Sheet, thenFocusAdd } from "@/components/definitions/sheet";
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
  const add = () => onChange((now) => [...now, { ...BLANK, key: nextKey(now), isOpen: true }]);
  const edit = (key: number, fields: Partial<PropertyDraft>) =>
    onChange((now) => now.map((one) => (one.key === key ? { ...one, ...fields } : one)));
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
          issues={byName.get(row.name) ?? []}
          readOnly={readOnly}
          onToggle={() => edit(row.key, { isOpen: !row.isOpen })}
          // Once its problem is mended, only this keeps it open.
          onEdit={(fields) => edit(row.key, { ...fields, isOpen: true })}
          onRemove={thenFocusAdd(() => onChange((now) => now.filter(({ key }) => key !== row.key)))}
        />
      ))}
    </Sheet>
  );
}

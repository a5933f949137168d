import { useCallback, useEffect, useRef, useState } from "react";
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
const NONE: FieldIssue[] = [];

/** Properties as rows, of which each opens to be edited. */
export function PropertySheet({ rows, onChange, issues, readOnly }: PropertySheetProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  const toggle = useCallback(
    (key: number) =>
      setOpen((now) => {
        const next = new Set(now);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    [],
  );
  const edit = useCallback(
    (key: number, fields: Partial<PropertyDraft>) =>
      latest.current((now) => now.map((row) => (row.key === key ? { ...row, ...fields } : row))),
    [],
  );
  const remove = useCallback((key: number) => latest.current((now) => now.filter((row) => row.key !== key)), []);
  const add = () => {
    const key = nextKey(rows);
    onChange((now) => [...now, { ...BLANK, key }]);
    setOpen((now) => new Set(now).add(key));
  };
  const byName = issuesByName(issues);
  return (
    <Sheet
      title="Properties"
      hint="Values that dashboards and SQL can use. Defaults are applied on reading and never stored."
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
          issues={byName.get(row.name) ?? NONE}
          readOnly={readOnly}
          onToggle={toggle}
          onEdit={edit}
          onRemove={remove}
        />
      ))}
    </Sheet>
  );
}

import { ChevronDown } from "lucide-react";
import type { MouseEventHandler } from "react";
import type { PropertyDraft } from "@/components/definitions/draft";
import { PropertyFields } from "@/components/definitions/property-fields";
import { sentence } from "@/components/form-issues";
import { Chip } from "@/components/ui/chip";
import { cn } from "@/lib/browser/class-name";
import type { FieldIssue } from "@/lib/errors";

/** The columns of a property. */
export const PROPERTY_COLUMNS = cn(
  "grid grid-cols-[minmax(0,1fr)_auto_16px] gap-x-3 px-3",
  "sm:grid-cols-[minmax(0,5fr)_84px_minmax(0,2fr)_minmax(0,4fr)_16px]",
);

const DETAIL = "min-w-0 break-all text-text-secondary text-xs leading-5 max-sm:col-span-full";

/** How many allowed values a row names. */
const NAMED = 4;

interface PropertyRowProps {
  row: PropertyDraft;
  issues: FieldIssue[];
  readOnly: boolean;
  onToggle: () => void;
  onEdit: (fields: Partial<PropertyDraft>) => void;
  onRemove: MouseEventHandler;
}

/** A property in one line, which opens for editing and stays open while it has a problem. */
export function PropertyRow(props: PropertyRowProps) {
  const { row, issues, readOnly, onToggle, onEdit, onRemove } = props;
  const { name, type, required, description, isOpen = false } = row;
  const isEdited = !readOnly && (isOpen || issues.length > 0);
  const summary = (
    <>
      <span className="min-w-0">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="break-all font-mono text-xs leading-5">{name || "New property"}</span>
          {required && <Chip>required</Chip>}
        </span>
        {description && !isEdited && <span className="block break-words text-text-muted text-xs">{description}</span>}
        {!isEdited && <Uses row={row} />}
      </span>
      <span className="text-text-secondary text-xs leading-5">{type}</span>
      <span className={cn(DETAIL, "font-mono max-sm:order-1")}>
        {row.default === "" ? (
          <span className="text-text-muted max-sm:hidden">–</span>
        ) : (
          <>
            <span className="font-sans text-text-muted sm:sr-only">Default </span>
            {row.default}
          </>
        )}
      </span>
      <Allowed values={row.enum} />
    </>
  );
  return (
    <li className="border-border border-b [contain-intrinsic-size:auto_41px] [content-visibility:auto]">
      {readOnly ? (
        <div className={cn(PROPERTY_COLUMNS, "py-2.5")}>{summary}</div>
      ) : (
        <button
          type="button"
          aria-expanded={isEdited}
          onClick={onToggle}
          className={cn(
            PROPERTY_COLUMNS,
            "w-full py-2.5 text-left -outline-offset-2! transition-colors hover:bg-hover",
          )}
        >
          {summary}
          <ChevronDown
            aria-hidden
            className={cn(
              "mt-0.5 size-4 text-text-muted transition-transform max-sm:col-start-3 max-sm:row-start-1",
              isEdited && "rotate-180",
            )}
          />
        </button>
      )}
      {isEdited && (
        <PropertyFields row={row} error={(field) => messageOf(issues, field)} onEdit={onEdit} onRemove={onRemove} />
      )}
    </li>
  );
}

function Allowed({ values }: { values: string }) {
  const lines = values === "" ? [] : values.split("\n");
  return (
    <span className={cn(DETAIL, "max-sm:order-2")}>
      {lines.length === 0 ? (
        <span className="text-text-muted max-sm:hidden">Any</span>
      ) : (
        <>
          <span className="text-text-muted sm:sr-only">One of </span>
          <span className="font-mono">{lines.slice(0, NAMED).join(", ")}</span>
          {lines.length > NAMED && <span className="text-text-muted"> and {lines.length - NAMED} more</span>}
        </>
      )}
    </span>
  );
}

function Uses({ row: { viewer_visible, overridable } }: { row: PropertyDraft }) {
  const uses = [viewer_visible && "Viewers can read it", overridable && "Viewer tokens may override it"];
  const told = uses.filter(Boolean).join(" · ");
  return told && <span className="block text-text-muted text-xs">{told}</span>;
}

/** The first issue with a field; the name also gets those with the whole property. */
function messageOf(issues: FieldIssue[], field: keyof PropertyDraft): string | undefined {
  const found = issues.find(({ path }) => (path[2] ?? "name") === field);
  if (!found) return undefined;
  const line = typeof found.path[3] === "number" ? `line ${found.path[3] + 1} ` : "";
  return sentence(line + found.message);
}

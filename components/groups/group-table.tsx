import { ArrowDown, ArrowUp } from "lucide-react";
import { type FocusEvent, type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import { type Column, FIXED, labelOf, propertyOf } from "@/components/groups/columns";
import { CELL, GroupRow, type RowActions, type ShownColumn } from "@/components/groups/group-row";
import { type SelectedGroups, withGroups, withoutGroups } from "@/components/groups/selection";
import type { Copied } from "@/components/groups/use-row-copy";
import { useRowKeys } from "@/components/groups/use-row-keys";
import { Checkbox } from "@/components/ui/checkbox";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import type { Group } from "@/lib/groups/queries";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";
import type { UsageOfGroup } from "@/lib/groups/use-queries";

const SKELETON_ROWS = 20;

interface GroupTableProps {
  /** undefined while loading */
  groups: Group[] | undefined;
  /** they belong to the previous query */
  isStale: boolean;
  columns: Column[] | undefined;
  properties: SummaryAnswer["properties"] | undefined;
  usage: Map<number, UsageOfGroup> | undefined;
  sort: string;
  onSort: (sort: string) => void;
  selected: SelectedGroups;
  onSelect: (selected: SelectedGroups) => void;
  /** shows the checkboxes on narrow screens, too */
  isSelecting: boolean;
  copied: { teamId: number; what: Copied } | undefined;
  actions: Omit<RowActions, "select">;
}

/** A page of groups: a table, or a list of names on narrow screens. */
export function GroupTable(props: GroupTableProps) {
  const { groups, isStale, properties, sort, onSort, selected, onSelect, isSelecting, copied, usage } = props;
  const canWrite = useCanWrite();
  const slug = useEnvironmentSlug();
  const chosen = groups?.filter(({ teamId }) => selected.has(teamId)).length ?? 0;
  // Memoized: a new array would render all rows again.
  const columns = useMemo(() => show(props.columns, properties), [props.columns, properties]);
  const [current, setCurrent] = useState<number>();
  // Many rows update a little after the click, so that the click responds quickly.
  const before = useDeferredValue(selected);
  const ticked = Math.abs(selected.size - before.size) > 1 ? before : selected;
  /** the last row ticked, where a Shift range starts */
  const anchor = useRef<number>(undefined);
  const select = (some: Group[], on: boolean) =>
    onSelect(on ? withGroups(selected, some) : withoutGroups(selected, some));
  const selectRow: RowActions["select"] = (group, { on, isRange }) => {
    const all = groups ?? [];
    const from = isRange ? all.findIndex(({ teamId }) => teamId === anchor.current) : -1;
    const to = all.findIndex(({ teamId }) => teamId === group.teamId);
    anchor.current = group.teamId;
    select(from === -1 ? [group] : all.slice(Math.min(from, to), Math.max(from, to) + 1), on);
  };
  const latest: RowActions = { ...props.actions, select: selectRow };
  // The same object in every render: rows render again only for their own data.
  const actions = useRef(latest);
  actions.current = latest;
  useRowKeys({ groups, selected, canWrite, actions: latest });
  const sortable = { sort, onSort };
  return (
    <table
      aria-label="User groups"
      aria-busy={groups === undefined || isStale}
      data-selecting={isSelecting || selected.size > 0 || undefined}
      onFocus={({ target }: FocusEvent) => setCurrent(Number(target.closest("tr")?.dataset.team) || undefined)}
      className={cn(
        "group/table relative w-full table-fixed border-separate border-spacing-0 transition-opacity duration-150",
        "max-sm:block",
        // Short waits show no change.
        isStale && "opacity-60 delay-150",
      )}
    >
      <thead className="max-sm:sr-only">
        <tr className="text-left text-text-muted text-xs">
          <th className={cn(HEAD, "w-13.5 pl-6")}>
            <label htmlFor="select-all" className="-ml-1 flex size-6 items-center justify-center">
              <span className="sr-only">Select all on this page</span>
              <Checkbox
                id="select-all"
                checked={chosen > 0 && chosen === groups?.length}
                indeterminate={chosen > 0 && chosen < (groups?.length ?? 0)}
                disabled={!groups}
                onChange={(event) => select(groups ?? [], event.target.checked)}
              />
            </label>
          </th>
          <SortHeader {...sortable} column="name">
            Name
          </SortHeader>
          {columns.map(({ column, className, isNumeric }) => {
            const look = cn(className, isNumeric && "text-right");
            return column === "id" || column === "updated" ? (
              <SortHeader key={column} {...sortable} column={column} className={look}>
                {FIXED[column]}
              </SortHeader>
            ) : (
              <th key={column} className={cn(HEAD, "truncate", look)}>
                {labelOf(column)}
              </th>
            );
          })}
          <th className={cn(TOP, "w-3.5 pointer-coarse:w-12")}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {groups
          ? groups.map((group) => (
              <GroupRow
                key={group.teamId}
                group={group}
                columns={columns}
                canWrite={canWrite}
                actions={actions}
                href={`/${slug}/groups/${group.teamId}`}
                isSelected={ticked.has(group.teamId)}
                isCurrent={current === group.teamId}
                copied={copied?.teamId === group.teamId ? copied.what : undefined}
                usage={usage?.get(group.teamId)}
              />
            ))
          : Array.from({ length: SKELETON_ROWS }, (_, index) => <SkeletonRow key={String(index)} columns={columns} />)}
      </tbody>
    </table>
  );
}

const TOP = "sticky top-12 z-10 h-8.5 border-border border-b bg-surface font-medium text-text-muted wide:top-14";
const HEAD = `${TOP} px-2.5`;

/** Widths of columns, in pixels with their classes. */
const WIDTHS: Record<string, [pixels: number, className: string]> = {
  id: [200, "w-50"],
  used: [188, "w-47"],
  updated: [112, "w-28"],
  viewers: [116, "w-29"],
};
const PROPERTY: [pixels: number, className: string] = [104, "w-26"];
/** Room for the checkbox and a name. */
const FIRST_PX = 54 + 190;
/** Narrower tables hide columns, in steps of 96 px from 288 px on. */
const HIDDEN_BELOW = [
  "@max-[288px]:hidden",
  "@max-[384px]:hidden",
  "@max-[480px]:hidden",
  "@max-[576px]:hidden",
  "@max-[672px]:hidden",
  "@max-[768px]:hidden",
  "@max-[864px]:hidden",
  "@max-[960px]:hidden",
  "@max-[1056px]:hidden",
  "@max-[1152px]:hidden",
  "@max-[1248px]:hidden",
  "@max-[1344px]:hidden",
  "@max-[1440px]:hidden",
  "@max-[1536px]:hidden",
];

const STANDARD: Column[] = ["id", "used", "updated"];

/** The columns with their looks. Where space is short, last use and id stay longest, then the first properties. */
function show(columns = STANDARD, properties: GroupTableProps["properties"] = []): ShownColumn[] {
  const first = ["used", "id"].filter((column) => columns.includes(column));
  const hidden = new Map<Column, string>();
  let needed = FIRST_PX;
  for (const column of new Set([...first, ...columns])) {
    needed += (WIDTHS[column] ?? PROPERTY)[0];
    const step = Math.max(0, Math.round((needed - 288) / 96));
    hidden.set(column, HIDDEN_BELOW[Math.min(step, HIDDEN_BELOW.length - 1)] ?? "");
  }
  return columns.map((column) => {
    const name = propertyOf(column);
    const values = properties.find((property) => property.name === name)?.values ?? [];
    const isAny = values.length > 0;
    return {
      column,
      className: cn((WIDTHS[column] ?? PROPERTY)[1], hidden.get(column)),
      isNumeric: column === "viewers" || (isAny && values.every(({ value }) => typeof value === "number")),
      hasChips: isAny && values.length <= MAX_CHIPS && values.every(({ value }) => isShort(value)),
    };
  });
}

/** With more distinct texts, chips would be no clearer than text. */
const MAX_CHIPS = 5;
const isShort = (value: unknown) => typeof value === "string" && value.length <= 16;

interface SortHeaderProps {
  column: string;
  sort: string;
  onSort: (sort: string) => void;
  className?: string;
  children: ReactNode;
}

function SortHeader({ column, sort, onSort, className, children }: SortHeaderProps) {
  const isUp = sort === column;
  const isDown = sort === `-${column}`;
  // Times sort newest first at first, text from A.
  const first = column === "updated" ? `-${column}` : column;
  const next = isUp ? `-${column}` : isDown ? column : first;
  const Arrow = isUp ? ArrowUp : ArrowDown;
  return (
    <th aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"} className={cn(HEAD, className)}>
      <button
        type="button"
        onClick={() => onSort(next)}
        className="inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-text"
      >
        {children}
        <Arrow aria-hidden className={cn("size-3.5", !isUp && !isDown && "invisible")} />
      </button>
    </th>
  );
}

function SkeletonRow({ columns }: { columns: ShownColumn[] }) {
  return (
    <tr className="h-10 max-sm:flex max-sm:h-15 max-sm:items-center max-sm:px-4">
      <td className={cn(CELL, "pl-6 max-sm:hidden")}>
        <Skeleton className="size-4" />
      </td>
      <td className={CELL}>
        <Skeleton className="h-3.5 w-40 max-w-full" />
      </td>
      {columns.map(({ column, className }) => (
        <td key={column} className={cn(CELL, "max-sm:hidden", className)}>
          <Skeleton className="h-3.5 w-16 max-w-full" />
        </td>
      ))}
      <td className={cn(CELL, "px-0 max-sm:hidden")} />
    </tr>
  );
}

"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { GroupMenu } from "@/components/groups/group-menu";
import { type Selection, withGroups, withoutGroups } from "@/components/groups/selection";
import { StateMark } from "@/components/groups/state-mark";
import { useCanWrite } from "@/components/members/use-member";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { Checkbox } from "@/components/ui/checkbox";
import { Skeleton } from "@/components/ui/skeleton";
import { cn } from "@/lib/browser/class-name";
import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";
import { memberTexts } from "@/lib/json/exact-json";

const SKELETON_ROWS = 12;

interface GroupTableProps {
  /** undefined while loading */
  groups: Group[] | undefined;
  /** they belong to the previous query */
  isStale: boolean;
  sort: string;
  onSort: (sort: string) => void;
  selected: Selection;
  onSelect: (selected: Selection) => void;
  onDelete: (group: Group) => void;
  onState: (group: Group, to: GroupState) => void;
}

/** A page of groups: a table, or cards on narrow screens. */
export function GroupTable({ groups, isStale, sort, onSort, selected, onSelect, onDelete, onState }: GroupTableProps) {
  const canWrite = useCanWrite();
  const slug = useEnvironmentSlug();
  const chosen = groups?.filter(({ teamId }) => selected.has(teamId)).length ?? 0;
  /** the last row ticked, where a Shift range starts */
  const anchor = useRef<number>(undefined);
  const select = (some: Group[], on: boolean) =>
    onSelect(on ? withGroups(selected, some) : withoutGroups(selected, some));
  const selectRow = (group: Group, { on, isRange }: { on: boolean; isRange: boolean }) => {
    const all = groups ?? [];
    const from = isRange ? all.findIndex(({ teamId }) => teamId === anchor.current) : -1;
    const to = all.indexOf(group);
    anchor.current = group.teamId;
    select(from === -1 ? [group] : all.slice(Math.min(from, to), Math.max(from, to) + 1), on);
  };
  const sortable = { sort, onSort };
  return (
    <table
      aria-label="User groups"
      aria-busy={groups === undefined || isStale}
      className={cn(
        "w-full table-fixed border-separate border-spacing-0 overflow-hidden rounded-md border border-border bg-surface transition-opacity duration-150 max-md:block",
        isStale && "opacity-60",
      )}
    >
      <thead className="max-md:sr-only">
        <tr className="h-9 text-left text-text-muted text-xs">
          <th className="w-10 border-border border-b pl-3">
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
          <SortHeader {...sortable} column="name" className="w-[28%]">
            Name
          </SortHeader>
          <SortHeader {...sortable} column="id" className="w-[22%]">
            Id
          </SortHeader>
          <th className="border-border border-b px-3 font-medium">Properties</th>
          <SortHeader {...sortable} column="updated" className="w-32">
            Updated
          </SortHeader>
          <th className="w-11 border-border border-b">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody className="max-md:block">
        {groups
          ? groups.map((group) => (
              <Row
                key={group.teamId}
                group={group}
                href={`/${slug}/groups/${group.teamId}`}
                canWrite={canWrite}
                isSelected={selected.has(group.teamId)}
                onSelect={(how) => selectRow(group, how)}
                onDelete={() => onDelete(group)}
                onState={(to) => onState(group, to)}
              />
            ))
          : Array.from({ length: SKELETON_ROWS }, (_, index) => <SkeletonRow key={String(index)} />)}
      </tbody>
    </table>
  );
}

const CELL = "border-border border-b px-3 max-md:border-0 max-md:p-0";

interface RowProps {
  group: Group;
  href: string;
  canWrite: boolean;
  isSelected: boolean;
  onSelect: (how: { on: boolean; isRange: boolean }) => void;
  onDelete: () => void;
  onState: (to: GroupState) => void;
}

function Row({ group, href, canWrite, isSelected, onSelect, onDelete, onState }: RowProps) {
  const { teamId, name, providedId, properties, state, updatedAt } = group;
  return (
    <tr
      className={cn(
        "relative h-10 max-md:grid max-md:h-auto max-md:grid-cols-[24px_1fr_auto] max-md:gap-x-2 max-md:gap-y-0.5 max-md:border-border max-md:border-b max-md:px-3 max-md:py-2.5 last:[&>*]:border-b-0",
        isSelected ? "bg-accent/10 hover:bg-accent/16" : "hover:bg-hover",
      )}
      data-selected={isSelected || undefined}
    >
      <td className={cn(CELL, "pl-3 max-md:row-span-3 max-md:pt-0.5")}>
        {/* Larger than the box, and above the row's link. */}
        <label
          htmlFor={`select-${teamId}`}
          // Shift-click would select text.
          onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          className="relative z-10 -my-1 flex size-6 items-center justify-center md:-ml-1"
        >
          <span className="sr-only">Select {name}</span>
          <Checkbox
            id={`select-${teamId}`}
            checked={isSelected}
            onChange={({ target, nativeEvent }) =>
              onSelect({ on: target.checked, isRange: nativeEvent instanceof MouseEvent && nativeEvent.shiftKey })
            }
          />
        </label>
      </td>
      <td className={cn(CELL, "truncate font-medium")}>
        <PageLink
          href={href}
          className="rounded-sm after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
        >
          {name}
        </PageLink>
        <StateMark state={state} className="ml-2" />
      </td>
      <td className={cn(CELL, "truncate font-mono text-text-muted text-xs max-md:col-start-2")} title={providedId}>
        {providedId}
      </td>
      <td className={cn(CELL, "truncate text-text-muted max-md:col-start-2")}>
        <Properties properties={properties} />
      </td>
      <td className={cn(CELL, "truncate text-text-muted max-md:hidden")}>
        <RelativeTime at={updatedAt} />
      </td>
      <td className={cn(CELL, "pr-2 pl-0 text-right max-md:col-start-3 max-md:row-span-3 max-md:row-start-1")}>
        <GroupMenu group={group} canWrite={canWrite} onDelete={onDelete} onState={onState} />
      </td>
    </tr>
  );
}

/** The most properties of a row, and characters of one and of all. */
const MOST_SHOWN = 8;
const MOST_OF_ONE = 60;
const MOST_OF_ALL = 300;

/** As many properties as can be seen at a glance, each perhaps cut. */
function glanceAt(members: [name: string, value: string][]): [name: string, value: string][] {
  let characters = 0;
  const cut = members.slice(0, MOST_SHOWN).map(([name, value]): [string, string] => [shorten(name), shorten(value)]);
  return cut.filter(([name, value], index) => {
    characters += name.length + value.length;
    return index === 0 || characters <= MOST_OF_ALL;
  });
}

/** Cuts between characters: half a surrogate pair is not text. */
function shorten(text: string): string {
  return text.length <= MOST_OF_ONE ? text : `${[...text.slice(0, MOST_OF_ONE)].slice(0, -1).join("")}…`;
}

function Properties({ properties }: Pick<Group, "properties">) {
  const members = memberTexts(properties ?? "{}");
  const count = members.length;
  const shown = glanceAt(members);
  if (count === 0) return <span className="max-md:hidden">–</span>;
  return (
    <>
      {shown.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && " · "}
          {name} <span className="text-text">{plain(value)}</span>
        </span>
      ))}
      {count > shown.length && ` · ${count - shown.length} more`}
    </>
  );
}

/** A string without its quotes, which are noise here. */
function plain(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : json;
  } catch {
    // It was truncated.
    return json.replace(/^"/, "");
  }
}

interface SortHeaderProps {
  column: string;
  sort: string;
  onSort: (sort: string) => void;
  className: string;
  children: ReactNode;
}

function SortHeader({ column, sort, onSort, className, children }: SortHeaderProps) {
  const isUp = sort === column;
  const isDown = sort === `-${column}`;
  // Times start newest first, text from A.
  const first = column === "updated" ? `-${column}` : column;
  const next = isUp ? `-${column}` : isDown ? column : first;
  const Arrow = isUp ? ArrowUp : ArrowDown;
  return (
    <th
      aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}
      className={cn("border-border border-b px-3 font-medium", className)}
    >
      <button
        type="button"
        onClick={() => onSort(next)}
        className="inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-text aria-pressed:text-text"
      >
        {children}
        <Arrow aria-hidden className={cn("size-3.5", !isUp && !isDown && "invisible")} />
      </button>
    </th>
  );
}

function SkeletonRow() {
  return (
    <tr className="h-10 max-md:grid max-md:h-19 max-md:content-center max-md:gap-2 max-md:px-3">
      {["w-4", "w-40", "w-24", "w-48", "w-16"].map((width) => (
        <td key={width} className={cn(CELL, "last:max-md:hidden first:max-md:hidden")}>
          <Skeleton className={cn("h-3.5 max-w-full", width)} />
        </td>
      ))}
      <td className={cn(CELL, "max-md:hidden")} />
    </tr>
  );
}

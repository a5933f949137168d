import { memo, type RefObject } from "react";
import { CopyIcon, CopyLabel } from "@/components/copy-button";
import { checksIn } from "@/components/count";
import { type Column, propertyOf } from "@/components/groups/columns";
import { plainText } from "@/components/groups/condition";
import { GroupMenu } from "@/components/groups/group-menu";
import { groupUse } from "@/components/groups/group-use";
import type { Copied } from "@/components/groups/use-row-copy";
import { PageLink } from "@/components/page-link";
import { RelativeTime } from "@/components/relative-time";
import { Bars } from "@/components/ui/bars";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Chip } from "@/components/ui/chip";
import { UseMark } from "@/components/ui/use-mark";
import { cn } from "@/lib/browser/class-name";
import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";
import type { UsageOfGroup } from "@/lib/groups/use-queries";
import { memberTexts } from "@/lib/json/exact-json";

/** Actions on a row. */
export interface RowActions {
  select: (group: Group, how: { on: boolean; isRange: boolean }) => void;
  copy: (group: Group, what: Copied) => void;
  open: (group: Group, dialog: "delete" | GroupState) => void;
}

/** A column with its look, which is the same in the head and in each row. */
export interface ShownColumn {
  column: Column;
  /** hides it where space is short, and sets its width */
  className: string;
  isNumeric: boolean;
  /** few short texts, shown as chips */
  hasChips: boolean;
}

const EDGE = "border-border border-b max-sm:border-0";
export const CELL = `${EDGE} px-2.5`;

interface GroupRowProps {
  group: Group;
  href: string;
  columns: ShownColumn[];
  canWrite: boolean;
  isSelected: boolean;
  /** Tab reaches the controls after the name */
  isCurrent: boolean;
  copied: Copied | undefined;
  /** undefined until it is known */
  usage: UsageOfGroup | undefined;
  actions: RefObject<RowActions>;
}

export const GroupRow = memo(function GroupRow({ isSelected, ...cells }: GroupRowProps) {
  const { group, actions } = cells;
  const { teamId, name } = group;
  return (
    <tr
      className={cn(
        "group/row relative h-10",
        "max-sm:flex max-sm:h-auto max-sm:min-h-15 max-sm:items-center max-sm:border-border max-sm:border-b",
        "max-sm:px-4",
        isSelected ? "bg-selected" : "bg-surface hover:bg-hover focus-within:bg-hover",
      )}
      data-selected={isSelected || undefined}
      data-team={teamId}
    >
      <td className={cn(CELL, "pl-4 max-sm:hidden max-sm:group-data-selecting/table:block max-sm:px-0 sm:pl-6")}>
        {/* Larger than the checkbox, and above the row's link. */}
        <label
          htmlFor={`select-${teamId}`}
          // Shift-click would select text.
          onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          className="relative z-10 -ml-1 flex size-6 items-center justify-center"
        >
          <span className="sr-only">Select {name}</span>
          <Checkbox
            id={`select-${teamId}`}
            checked={isSelected}
            onChange={({ target, nativeEvent }) =>
              actions.current.select(group, {
                on: target.checked,
                isRange: nativeEvent instanceof MouseEvent && nativeEvent.shiftKey,
              })
            }
          />
        </label>
      </td>
      <Cells {...cells} />
    </tr>
  );
});

/** Everything but the checkbox, so that ticking many rows stays quick. */
const Cells = memo(function Cells(props: Omit<GroupRowProps, "isSelected">) {
  const { group, href, columns, canWrite, isCurrent, copied, usage, actions } = props;
  const { name, state } = group;
  const members = new Map(memberTexts(group.properties ?? "{}"));
  const isOff = state !== "active";
  return (
    <>
      <td className={cn(CELL, "max-sm:min-w-0 max-sm:flex-1 max-sm:px-0 max-sm:py-2.5")}>
        <div className="flex min-w-0 items-center gap-2.5">
          <UseMark use={groupUse(group)} label={!isOff} />
          <PageLink
            href={href}
            aria-keyshortcuts={canWrite ? "x c e" : "x"}
            className="min-w-0 truncate whitespace-pre! rounded-sm font-medium covers-row"
          >
            {name}
          </PageLink>
          {isOff && <Chip className="shrink-0 max-sm:hidden">{state}</Chip>}
        </div>
        <p className="truncate pl-4.5 text-text-secondary text-xs sm:hidden">
          {isOff ? state : <LastUsed at={group.lastUsedAt} />}
          <Brief columns={columns} members={members} />
        </p>
      </td>
      {columns.map((shown) => (
        <td
          key={shown.column}
          className={cn(CELL, "truncate max-sm:hidden", shown.className, shown.isNumeric && "text-right tabular-nums")}
        >
          <Content shown={shown} group={group} members={members} usage={usage} />
        </td>
      ))}
      <td className={cn(EDGE, "bg-inherit max-sm:ml-2")}>
        {canWrite && (
          <span className="relative z-10 block pointer-coarse:sm:pr-4 pointer-fine:sm:hidden">
            <Button
              size="icon"
              aria-label={`Copy token of ${name}`}
              onClick={() => actions.current.copy(group, "token")}
              className="max-sm:size-10 pointer-coarse:sm:size-8"
            >
              <CopyIcon copied={copied === "token"} />
            </Button>
          </span>
        )}
        <div
          className={cn(
            // Does not cover the focus ring.
            "absolute inset-y-0.5 right-0.5 z-10 flex items-center gap-1.5 bg-inherit pr-3.5 pl-3 opacity-0",
            "group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-aria-expanded:opacity-100",
            "max-sm:hidden pointer-coarse:hidden",
          )}
        >
          {canWrite && (
            <>
              <CopyPart what="token" group={group} actions={actions} copied={copied} isCurrent={isCurrent}>
                Token
              </CopyPart>
              <CopyPart what="embed" group={group} actions={actions} copied={copied} isCurrent={isCurrent}>
                Embed
              </CopyPart>
            </>
          )}
          <GroupMenu group={group} canWrite={canWrite} actions={actions} />
        </div>
      </td>
    </>
  );
});

interface CopyPartProps extends Pick<GroupRowProps, "group" | "actions" | "copied" | "isCurrent"> {
  what: Copied;
  children: string;
}

function CopyPart({ what, group, actions, copied, isCurrent, children }: CopyPartProps) {
  return (
    <Button
      size="small"
      tabIndex={isCurrent ? 0 : -1}
      title={what === "token" ? "Copy the token (c)" : "Copy the embed configuration (e)"}
      onClick={() => actions.current.copy(group, what)}
    >
      <CopyIcon copied={copied === what} />
      {/* No aria-label: it would have to contain "Copied", which takes the word's place for a moment. */}
      <span className="sr-only">Copy </span>
      <CopyLabel copied={copied === what}>{children}</CopyLabel>
      <span className="sr-only"> of {group.name}</span>
    </Button>
  );
}

function LastUsed({ at }: { at: string | null }) {
  return at === null ? "never used" : <RelativeTime at={at} isShort />;
}

/** The first property, for a row without columns. */
function Brief({ columns, members }: { columns: ShownColumn[]; members: Map<string, string> }) {
  for (const { column } of columns) {
    const name = propertyOf(column);
    const value = name === undefined ? undefined : members.get(name);
    if (value !== undefined) return <> · {`${name} ${plainText(value)}`.slice(0, 60)}</>;
  }
  return null;
}

interface ContentProps {
  shown: ShownColumn;
  group: Group;
  members: Map<string, string>;
  usage: UsageOfGroup | undefined;
}

function Content({ shown: { column, hasChips }, group, members, usage }: ContentProps) {
  const { updatedAt } = group;
  if (column === "id") {
    return (
      <span className="font-mono text-text-secondary text-xs" title={group.providedId}>
        {group.providedId}
      </span>
    );
  }
  if (column === "updated") {
    return (
      <span className="text-text-secondary">
        <RelativeTime at={updatedAt} isShort />
      </span>
    );
  }
  if (column === "used") {
    return (
      <span className="flex items-center gap-2.5 text-text-secondary">
        <span className="w-19 truncate">
          {group.lastUsedAt === null ? "never" : <RelativeTime at={group.lastUsedAt} isShort />}
        </span>
        {usage && <Bars values={usage.days} label={checksIn(usage.days)} />}
      </span>
    );
  }
  if (column === "viewers") return usage?.active_viewers.at(-1)?.toLocaleString("en") ?? null;
  return <Value json={members.get(propertyOf(column) ?? "")} hasChips={hasChips} />;
}

/** The most characters of a value in a cell, which shows fewer. */
const MAX_SHOWN = 80;

function Value({ json, hasChips }: { json: string | undefined; hasChips: boolean }) {
  if (json === undefined) return <span className="text-text-muted">–</span>;
  const text = plainText(json);
  if (hasChips && json.startsWith('"')) {
    return (
      <Chip by={text} className="max-w-full">
        <span className="truncate">{text.slice(0, MAX_SHOWN)}</span>
      </Chip>
    );
  }
  return (
    <span title={text.slice(0, 500)} className={cn("text-text-secondary", /^-?\d/.test(json) && "text-text")}>
      {text.slice(0, MAX_SHOWN)}
    </span>
  );
}

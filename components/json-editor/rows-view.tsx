import { Plus } from "lucide-react";
import { type Ref, useImperativeHandle, useMemo, useState } from "react";
import { Button } from "@/components/ui/button";
import { usePhone } from "@/components/use-phone";
import { cn } from "@/lib/browser/class-name";
import { memberTexts } from "@/lib/json/exact-json";
import { AbsentRows } from "./absent-rows";
import { moveByArrow } from "./arrow-keys";
import { convertLiteral } from "./convert";
import type { SheetGuide } from "./guide";
import { columnsOf, JsonRow } from "./json-row";
import type { RowProps, SheetWords } from "./row-fields";
import type { RowView } from "./row-views";
import type { RowType } from "./rows";
import type { RowsState } from "./rows-state";
import { PORTION, RowSheet, useRowEdits } from "./use-row-edits";

export interface RowsViewHandle {
  /** Shows the first row with a problem. */
  reveal(): void;
}

export interface RowsViewProps {
  ref: Ref<RowsViewHandle>;
  words: SheetWords;
  state: RowsState;
  onChange: (state: RowsState) => void;
  views: readonly RowView[];
  types: readonly RowType[];
  readOnly: boolean;
  guide: SheetGuide | undefined;
  /** The saved text, which the guide compares with. */
  saved: string | undefined;
  /** Shows the defaults of keys that are not set. */
  withDefaults: boolean;
  /** Shows only rows that contain this text; in lower case. */
  query: string;
}

/** A JSON object as rows of key and value; the text between them stays as it is. */
export function RowsView(props: RowsViewProps) {
  const { ref, state, words, views, types, readOnly, guide, saved, withDefaults, query } = props;
  const isPhone = usePhone();
  const edits = useRowEdits(props, isPhone);
  const { box, blank, shown, opened, onEdit, onEnter } = edits;
  /** the focused row, which stays even if a search would hide it */
  const [focused, setFocused] = useState(-1);
  const problems = useMemo(() => guide?.find(state.base, saved) ?? [], [guide, state.base, saved]);
  const savedTexts = useMemo(() => new Map(memberTexts(saved ?? "{}")), [saved]);
  const problemOf = (key: string, part: "key" | "value") =>
    problems.find((problem) => problem.key === key && problem.part === part);
  const isWrong = ({ problem, memberName }: RowView) =>
    problem !== undefined || problems.some(({ key, isRefused }) => isRefused && key === memberName);
  useImperativeHandle(ref, () => ({ reveal: () => edits.reveal(views.findIndex(isWrong) + 1) }));
  const propsOf = (row: RowView, index: number): RowProps => {
    const was = savedTexts.get(row.memberName);
    // Objects and lists may differ only in white space.
    const isOther = was !== row.literal && row.type !== "json";
    return {
      ...row,
      index,
      words,
      types,
      readOnly,
      onEdit,
      onEnter,
      guide: guide?.rows.get(row.memberName),
      keyProblem: problemOf(row.memberName, "key"),
      valueProblem: problemOf(row.memberName, "value"),
      was: isOther || row.problem !== undefined ? was : undefined,
    };
  };
  const blankRow = blankRowOf(types);
  const listed = (blank ? [...views, blankRow] : views)
    .map((row, index) => ({ row, index }))
    .filter(
      ({ row, index }) =>
        hasText(row, query, guide?.rows.get(row.memberName)?.label) ||
        row === blankRow ||
        index === focused ||
        isWrong(row),
    );
  const hidden = listed.slice(shown);
  const listRow = ({ row, index }: { row: RowView; index: number }) => (
    <JsonRow
      key={index}
      {...propsOf(row, index)}
      isOnly={state.table.rows.length === 0}
      isPhone={isPhone}
      onOpen={edits.open}
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what cells have in common; each is a control of its own
    <div
      ref={box}
      onPaste={edits.onPaste}
      onKeyDown={(event) => moveByArrow(event, box.current)}
      onFocus={({ target }) => setFocused(query === "" ? -1 : rowOf(target))}
      className="overflow-hidden rounded-lg border border-border"
    >
      <div
        aria-hidden="true"
        className={cn(
          "grid border-border border-b bg-sunken font-medium text-text-muted text-xs leading-7.5",
          "max-sm:hidden [&>*]:px-3",
          columnsOf(words),
        )}
      >
        <span className="border-border border-r">{words.key}</span>
        <span>{words.value}</span>
      </div>
      {listed.length === 0 && (query !== "" || readOnly || !guide?.rows.size) && (
        <p className="border-border border-b px-3 py-2 text-text-muted">
          {query === "" ? "No rows" : `Nothing here matches “${query}”.`}
        </p>
      )}
      {listed.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list that is styled without bullets.
        <ul role="list" className={readOnly && !guide ? "[&>:last-child]:border-b-0" : undefined}>
          {listed.slice(0, shown).map(listRow)}
          {hidden.length > 0 && (
            <li className="border-border border-b px-2 py-1.5">
              <Button size="small" variant="ghost" onClick={() => edits.showMore(hidden[0]?.index ?? 0)}>
                Show {Math.min(PORTION, hidden.length)} more of {hidden.length} hidden rows
              </Button>
            </li>
          )}
        </ul>
      )}
      {guide && (
        <AbsentRows
          guide={guide}
          problems={problems}
          words={words}
          readOnly={readOnly}
          withDefaults={withDefaults}
          query={query}
          present={views}
          onAdd={edits.add}
        />
      )}
      {!readOnly && (
        <button
          type="button"
          data-cell="add"
          onClick={edits.startRow}
          className={cn(
            "flex min-h-9 w-full items-center gap-2 px-3 text-left text-text-muted -outline-offset-2! hover:bg-hover",
            "hover:text-text max-sm:min-h-11 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0",
          )}
        >
          <Plus aria-hidden />
          <span className="truncate">
            Add row<span className="max-sm:hidden">, or paste rows from a spreadsheet</span>
          </span>
        </button>
      )}
      {opened && (
        <RowSheet
          {...propsOf(views[opened.index] ?? blankRow, opened.index)}
          isNew={opened.index >= opened.before.table.rows.length}
          onClose={edits.close}
          onCancel={edits.cancel}
        />
      )}
    </div>
  );
}

function hasText({ name, value }: RowView, text: string, label = ""): boolean {
  return `${name} ${label} ${value}`.toLowerCase().includes(text);
}

function blankRowOf([type = "string"]: readonly RowType[]): RowView {
  const literal = convertLiteral('""', type);
  return {
    name: "",
    memberName: "",
    literal,
    nameError: undefined,
    valueError: undefined,
    problem: undefined,
    type,
    value: type === "string" ? "" : literal,
    isGuessed: true,
    isTyped: false,
  };
}

function rowOf(target: Element): number {
  return Number(target.closest<HTMLElement>("[data-row]")?.dataset.row ?? -1);
}

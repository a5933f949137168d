import { useEffect, useMemo } from "react";
import type { SheetGuide } from "./guide";
import type { JsonFieldProps } from "./json-field";
import { useSettled } from "./json-text";
import {
  capitalize,
  describeProblem,
  findProblems,
  isBlank,
  type JsonProblem,
  placeOf,
  uncapitalize,
} from "./problems";
import type { RowView } from "./row-views";
import { readTable } from "./rows";
import type { RowsState } from "./rows-state";

/** What a field's text would store, and what prevents it. */
export interface FieldReport {
  /** undefined while the text is not valid JSON */
  readable: string | undefined;
  /** as sentences about its rows */
  problems: string[];
}

interface ReportedField extends JsonFieldProps {
  /** undefined while the text shows */
  rows: RowsState | undefined;
  views: readonly RowView[];
}

/** Checks a field at each pause in typing. */
export function useFieldReport(field: ReportedField) {
  const { label, value, rows, views, guide, saved, onReport, required, nullable, maxBytes } = field;
  const settled = useSettled(value);
  const problems = useMemo(
    () => findProblems(settled, { required, nullable, maxBytes }),
    [settled, required, nullable, maxBytes],
  );
  const guided = useMemo(
    () => (guide && problems.length === 0 && !isBlank(settled) ? guidedProblems(guide, settled, saved) : []),
    [guide, problems, settled, saved],
  );
  const counted = useMemo(() => readTable(settled)?.rows.length, [settled]);
  // Rows stay while one is invalid.
  const count = rows?.table.rows.length ?? counted;
  const report = useMemo((): FieldReport => {
    const broken = problems.map((one) => `${label}, ${uncapitalize(describeProblem(one))}`);
    const own = rows ? views.flatMap(({ problem }) => problem ?? []) : broken;
    const asked = guided.filter(({ isRefused }) => isRefused).map(({ message }) => message.replace(/\.$/, ""));
    // A null value shows as an empty sheet, whose text is {}.
    const isShown = rows && rows.text === value;
    const readable = isShown ? rows.base : problems.length > 0 ? undefined : settled;
    return { readable, problems: [...own, ...asked] };
  }, [rows, views, problems, guided, settled, label, value]);
  useEffect(() => onReport?.(report), [report, onReport]);
  const message = problems[0] && capitalize(problems[0].message);
  // The guide checks only valid text.
  const found = problems.length > 0 ? problems : guided;
  return { settled, problems, found, count, message, sentences: report.problems };
}

/** The guide's problems with their places in a text, refused ones first. Problems with absent keys have no place. */
function guidedProblems(guide: SheetGuide, text: string, saved: string | undefined) {
  const rows = readTable(text)?.rows ?? [];
  const found = guide.find(text, saved).map(({ key, part, message, isRefused }): JsonProblem => {
    const row = rows.find((one) => one.key === key);
    const span = part === "key" ? row?.keySpan : row?.valueSpan;
    return {
      message: `${key} ${uncapitalize(message)}`,
      isRefused,
      ...(span && { place: placeOf(text, span.from, span.to - span.from) }),
    };
  });
  return found.sort((one, other) => Number(other.isRefused) - Number(one.isRefused));
}

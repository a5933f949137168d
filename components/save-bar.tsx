import { TriangleAlert } from "lucide-react";
import { useEffect, useRef } from "react";
import { Failure } from "@/components/failure";
import { ModifierKey } from "@/components/modifier-key";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/browser/class-name";

/** An unsaved difference in a form, with shortened values; without values, only the spelling changed. */
export interface UnsavedChange {
  label: string;
  before: string | undefined;
  after: string | undefined;
}

/** What prevents saving a form. */
interface FormProblem {
  /** "seats is not a number" */
  text: string;
  onGo: () => void;
}

const NO_PROBLEMS: FormProblem[] = [];

interface SaveBarProps {
  /** the id of the form it saves */
  form: string;
  changes: UnsavedChange[];
  problems?: FormProblem[];
  isSaving: boolean;
  /** why the last attempt failed */
  failure: Error | undefined;
  onDiscard: () => void;
}

/** Names, counts and saves unsaved changes. Stays at the bottom of the window, on every tab. */
export function SaveBar({ form, changes, problems = NO_PROBLEMS, isSaving, failure, onDiscard }: SaveBarProps) {
  const bar = useRef<HTMLElement>(null);
  useKeepClear(bar);
  return (
    <section
      ref={bar}
      data-save-bar=""
      aria-label="Unsaved changes"
      className={cn(
        "-mx-4 -mb-5 sticky bottom-0 z-20 mt-auto flex animate-appear flex-col gap-2 border-border border-t bg-surface",
        "px-4 py-3 sm:-mx-6 sm:px-6 wide:bottom-2",
      )}
    >
      {failure && <Failure title="Nothing was saved" error={failure} />}
      <div className="flex items-center justify-between gap-x-3 gap-y-2 max-sm:flex-col max-sm:items-stretch">
        <div className="flex min-w-0 flex-1 items-center gap-2.5">
          {problems.length > 0 ? (
            <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
          ) : (
            <span aria-hidden className="size-2 shrink-0 rounded-full bg-production" />
          )}
          {problems.length > 0 ? (
            <Problems count={changes.length} problems={problems} />
          ) : (
            <p className="min-w-0 truncate tabular-nums">
              {counted(changes.length)}
              <span className="max-sm:hidden">
                {changes.length > 0 && ": "}
                {changes.slice(0, NAMED).map((change, at) => (
                  <span key={change.label}>
                    {at > 0 && ", "}
                    <Change change={change} />
                  </span>
                ))}
                {changes.length > NAMED && " …"}
              </span>
            </p>
          )}
        </div>
        <div className="flex gap-2 max-sm:[&>*]:h-11 max-sm:[&>*]:flex-1">
          <Button
            variant="ghost"
            className="border-border-strong max-sm:border"
            disabled={isSaving}
            onClick={onDiscard}
          >
            Discard
          </Button>
          <Button type="submit" form={form} variant="primary" disabled={isSaving}>
            Save
            <kbd
              aria-hidden
              className="rounded bg-black/15 px-1 font-sans text-2xs leading-4.5 max-sm:hidden pointer-coarse:hidden"
            >
              <ModifierKey />
              &nbsp;S
            </kbd>
          </Button>
        </div>
      </div>
    </section>
  );
}

/** How many changes are named. */
const NAMED = 3;

/** The count is 0 while JSON is being typed: its changes are not known yet. */
const counted = (count: number) =>
  count === 0 ? "Unsaved changes" : `${count} unsaved ${count === 1 ? "change" : "changes"}`;

function Problems({ count, problems }: { count: number; problems: FormProblem[] }) {
  const [first] = problems;
  return (
    <p className="flex min-w-0 items-baseline gap-x-1 max-sm:flex-wrap">
      <span className="shrink-0 tabular-nums">
        {count > 0 && (
          <>
            {counted(count)} <span className="text-text-muted">·</span>{" "}
          </>
        )}
        {problems.length === 1 ? "1 problem" : `${problems.length} problems`}:
      </span>{" "}
      <button
        type="button"
        onClick={first?.onGo}
        className={cn(
          "min-h-6 min-w-0 break-words rounded-sm text-left text-danger underline decoration-danger/40",
          "underline-offset-4 hover:decoration-danger sm:truncate",
        )}
      >
        {first?.text}
      </button>
    </p>
  );
}

function Change({ change: { label, before, after } }: { change: UnsavedChange }) {
  return (
    <>
      <span className="font-medium">{label}</span>
      {before !== undefined && after !== undefined && (
        <>
          {" "}
          <del className="text-text-muted">{before}</del> <span aria-hidden>→</span>
          <span className="sr-only">to</span>
        </>
      )}
      {after !== undefined && ` ${after}`}
      {before !== undefined && after === undefined && " removed"}
    </>
  );
}

/** Space between the bar and scrolled-to content, in pixels. */
const GAP = 16;

/** Keeps the focused element and toasts clear of the bar when the bar grows, the focus moves or a keyboard opens. */
function useKeepClear(bar: { current: HTMLElement | null }) {
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const { style } = document.documentElement;
    const update = () => {
      const rest = Number.parseFloat(getComputedStyle(element).bottom);
      style.scrollPaddingBottom = `${element.offsetHeight + rest + GAP}px`;
      style.setProperty("--save-bar", `${element.offsetHeight + rest}px`);
      uncoverFocus(element);
    };
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    window.addEventListener("resize", update);
    return () => {
      sizes.disconnect();
      window.removeEventListener("resize", update);
      style.scrollPaddingBottom = "";
      style.removeProperty("--save-bar");
    };
  }, [bar]);
}

function uncoverFocus(bar: HTMLElement) {
  const focused = document.activeElement;
  if (!focused?.closest("form") || bar.contains(focused)) return;
  const element = focused.matches("[contenteditable]") ? lineOfCaret() : focused;
  if (!element) return;
  const { bottom } = element.getBoundingClientRect();
  const covered = bottom + GAP - bar.getBoundingClientRect().top;
  if (covered > 0) window.scrollBy({ top: covered });
}

/** Undefined while the editor draws: the caret is in no line then. */
function lineOfCaret(): Element | null | undefined {
  const node = window.getSelection()?.focusNode;
  return (node instanceof Element ? node : node?.parentElement)?.closest(".cm-line");
}

"use client";

import { useEffect, useRef } from "react";
import { Failure } from "@/components/failure";
import { ModifierKey } from "@/components/modifier-key";
import { Button } from "@/components/ui/button";

/** A difference between a form and what is saved, its values shortened; without values, only the spelling changed. */
export interface UnsavedChange {
  label: string;
  before: string | undefined;
  after: string | undefined;
}

interface SaveBarProps {
  /** the id of the form it saves */
  form: string;
  changes: UnsavedChange[];
  isSaving: boolean;
  /** why the last attempt failed */
  failure: Error | undefined;
  onDiscard: () => void;
}

/** Names, counts and saves unsaved changes. Stays at the bottom of the window, on every tab. */
export function SaveBar({ form, changes, isSaving, failure, onDiscard }: SaveBarProps) {
  const bar = useRef<HTMLElement>(null);
  useKeepClear(bar);
  return (
    <section
      ref={bar}
      aria-label="Unsaved changes"
      className="sticky bottom-4 z-20 mt-auto flex animate-appear flex-col gap-2 rounded-xl border border-border bg-raised p-2 shadow-popup before:absolute before:inset-x-0 before:top-full before:-z-10 before:h-4 before:bg-surface max-sm:-mx-2 max-sm:bottom-2 max-sm:before:h-2 wide:bottom-6"
    >
      {failure && <Failure title="Nothing was saved" error={failure} />}
      <div className="flex items-center justify-between gap-3 pl-2">
        <span aria-hidden className="size-2 shrink-0 rounded-full bg-production" />
        <p className="min-w-0 flex-1 truncate tabular-nums">
          {changes.length} unsaved {changes.length === 1 ? "change" : "changes"}
          <span className="max-sm:hidden">
            {": "}
            {changes.slice(0, NAMED).map((change, at) => (
              <span key={change.label}>
                {at > 0 && ", "}
                <Change change={change} />
              </span>
            ))}
            {changes.length > NAMED && " …"}
          </span>
        </p>
        <div className="flex gap-2">
          <Button variant="ghost" onClick={onDiscard}>
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

/** Undefined while the editor draws, when the caret is in no line. */
function lineOfCaret(): Element | null | undefined {
  const node = window.getSelection()?.focusNode;
  return (node instanceof Element ? node : node?.parentElement)?.closest(".cm-line");
}

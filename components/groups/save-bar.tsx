"use client";

import { useEffect, useRef } from "react";
import { Failure } from "@/components/failure";
import { ModifierKey } from "@/components/shell/modifier-key";
import { Button } from "@/components/ui/button";

interface SaveBarProps {
  /** the id of the form it saves */
  form: string;
  changes: number;
  isSaving: boolean;
  /** why the last attempt failed */
  failure: Error | undefined;
  onDiscard: () => void;
}

/** Counts and saves unsaved changes. Stays at the bottom of the window, on every tab. */
export function SaveBar({ form, changes, isSaving, failure, onDiscard }: SaveBarProps) {
  const bar = useRef<HTMLElement>(null);
  useKeepClear(bar);
  return (
    <section
      ref={bar}
      aria-label="Unsaved changes"
      className="sticky bottom-4 z-20 mt-6 flex max-w-3xl animate-appear flex-col gap-2 rounded-md border border-border bg-raised p-2 shadow-popup max-sm:bottom-2"
    >
      {failure && <Failure title="Nothing was saved" error={failure} />}
      <div className="flex items-center justify-between gap-2 pl-2">
        <p className="tabular-nums">
          {changes} unsaved {changes === 1 ? "change" : "changes"}
        </p>
        <div className="flex gap-2">
          <Button onClick={onDiscard}>Discard</Button>
          <Button type="submit" form={form} variant="primary" disabled={isSaving}>
            Save
            <span aria-hidden className="opacity-80 max-sm:hidden">
              <ModifierKey /> S
            </span>
          </Button>
        </div>
      </div>
    </section>
  );
}

/** Space between the bar and scrolled-to content, in pixels. */
const GAP = 16;

/** Keeps the focused element clear of the bar when the bar grows, the focus moves or a keyboard opens. */
function useKeepClear(bar: { current: HTMLElement | null }) {
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const { style } = document.documentElement;
    const update = () => {
      const rest = Number.parseFloat(getComputedStyle(element).bottom);
      style.scrollPaddingBottom = `${element.offsetHeight + rest + GAP}px`;
      uncoverFocus(element);
    };
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    window.addEventListener("resize", update);
    return () => {
      sizes.disconnect();
      window.removeEventListener("resize", update);
      style.scrollPaddingBottom = "";
    };
  }, [bar]);
}

function uncoverFocus(bar: HTMLElement) {
  const focused = document.activeElement;
  if (!focused?.closest("form") || bar.contains(focused)) return;
  const { bottom } = (focused.matches("[contenteditable]") ? lineOfCaret() : focused).getBoundingClientRect();
  const covered = bottom + GAP - bar.getBoundingClientRect().top;
  if (covered > 0) window.scrollBy({ top: covered });
}

function lineOfCaret(): Element {
  const node = window.getSelection()?.focusNode;
  return (node instanceof Element ? node : node?.parentElement) ?? document.body;
}

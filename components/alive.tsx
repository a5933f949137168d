import { type ReactNode, useEffect, useInsertionEffect, useLayoutEffect, useRef, useState } from "react";

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * Ends the body's `aria-busy`, under which controls wait (globals.css), once the page in it is hydrated. Fields that
 * were changed before keep that.
 */
export function Alive({ children }: { children: ReactNode }) {
  // Parts come alive on their own, and later.
  useChangesBeforeHydration(":not([data-part] *)");
  // Later than the other effects, which listen to the keyboard.
  useEffect(() => {
    document.body.removeAttribute("aria-busy");
    performance.mark("alive");
  }, []);
  return children;
}

/** What was typed and selected in text areas, which React resets as it meets them: before any effect. */
const typed = new WeakMap<Field, Text>();

interface Text {
  value: string;
  selection: [number | null, number | null];
}

/**
 * Has React notice the fields that were changed before hydration, which does not look at them. What is not hydrated,
 * but made in the browser, has none.
 */
export function useChangesBeforeHydration(which: string | undefined) {
  useState(() => which && rememberTyped(which));
  const changed = useRef<(() => void)[]>([]);
  // Earlier than refs, through which react-hook-form resets its fields.
  useInsertionEffect(() => {
    if (which === undefined) return;
    changed.current = [...document.querySelectorAll<Field>(`:is(input, textarea)${which}`)].flatMap(changeOf);
  }, [which]);
  useLayoutEffect(() => {
    for (const repeat of changed.current.splice(0)) repeat();
  }, []);
}

function rememberTyped(which: string) {
  if (typeof document === "undefined") return;
  for (const field of document.querySelectorAll<HTMLTextAreaElement>(`textarea${which}`)) {
    if (field.value !== field.defaultValue || field === document.activeElement) typed.set(field, textOf(field));
  }
}

function textOf({ value, selectionStart, selectionEnd }: Field): Text {
  return { value, selection: [selectionStart, selectionEnd] };
}

/** What makes React notice how a field differs from its default. */
function changeOf(field: Field): (() => void)[] {
  if (field.type === "checkbox" || field.type === "radio") {
    const { checked, defaultChecked } = field as HTMLInputElement;
    if (checked === defaultChecked || (field.type === "radio" && !checked)) return [];
    return [
      () => {
        (field as HTMLInputElement).checked = defaultChecked;
        field.click();
      },
    ];
  }
  if (field.type === "file") return [];
  const { value, defaultValue } = field;
  const text = value === defaultValue ? typed.get(field) : textOf(field);
  if (!text) return [];
  const select = () => {
    const [from, to] = text.selection;
    if (field !== document.activeElement || field.value !== text.value || from === null) return;
    field.setSelectionRange(from, to);
  };
  return [
    () => {
      // React compares with what it last saw.
      field.value = defaultValue;
      if (text.value !== defaultValue) set(field, text.value);
      // Once React has set the value too.
      setTimeout(select);
    },
  ];
}

/** Sets a value as the browser does, unseen by React until the event. */
function set(field: Field, value: string) {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

import { type ReactNode, useEffect, useInsertionEffect, useLayoutEffect, useRef, useState } from "react";

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * Removes the body's `aria-busy`, which makes controls wait (globals.css), once its page is hydrated. Fields keep
 * what was entered before that.
 */
export function Alive({ children }: { children: ReactNode }) {
  // Each part hydrates on its own, later.
  useChangesBeforeHydration(":not([data-part] *)");
  // After all other effects, which add the keyboard listeners.
  useEffect(() => {
    document.body.removeAttribute("aria-busy");
    performance.mark("alive");
  }, []);
  return children;
}

/** Text and selection of text areas. React resets text areas as it hydrates them, before any effect. */
const typed = new WeakMap<Field, Text>();

interface Text {
  value: string;
  selection: [number | null, number | null];
}

/**
 * Makes React notice fields that were changed before hydration, which ignores them. Components rendered only in the
 * browser pass undefined: they have no such fields.
 */
export function useChangesBeforeHydration(which: string | undefined) {
  useState(() => which && rememberTyped(which));
  const changed = useRef<(() => void)[]>([]);
  // Before refs are attached, as react-hook-form then resets its fields.
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

/** Returns functions that make React notice how a field differs from its default. */
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
      // React compares with the value it last saw.
      field.value = defaultValue;
      if (text.value !== defaultValue) set(field, text.value);
      // After React has set the value too.
      setTimeout(select);
    },
  ];
}

/** Sets a value as the browser does, unseen by React until the event. */
function set(field: Field, value: string) {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

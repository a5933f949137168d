import { useEffect, useInsertionEffect, useLayoutEffect, useRef } from "react";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Ends the body's `aria-busy`, under which controls wait (globals.css), once the page is hydrated. Fields that were
 * changed before keep that. Render it last.
 */
export function Alive() {
  // Parts come alive on their own, and later.
  useChangesBeforeHydration(":not([data-part] *)");
  // Later than the other effects, which listen to the keyboard.
  useEffect(() => {
    document.body.removeAttribute("aria-busy");
    performance.mark("alive");
  }, []);
  return null;
}

/** Has React notice the fields that were changed before hydration, which does not look at them. */
export function useChangesBeforeHydration(which: string) {
  const changed = useRef<(() => void)[]>([]);
  // Earlier than refs, through which react-hook-form resets its fields.
  useInsertionEffect(() => {
    changed.current = [...document.querySelectorAll<Field>(`:is(input, textarea, select)${which}`)].flatMap(changeOf);
  }, [which]);
  useLayoutEffect(() => {
    for (const repeat of changed.current.splice(0)) repeat();
  }, []);
}

/** What makes React notice how a field differs from its default. */
function changeOf(field: Field): (() => void)[] {
  if (field instanceof HTMLSelectElement) {
    const { value } = field;
    if ([...field.options].every((option) => option.selected === option.defaultSelected)) return [];
    return [() => set(field, value, "change")];
  }
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
  const { value, defaultValue } = field;
  if (value === defaultValue || field.type === "file") return [];
  return [
    () => {
      const { selectionStart, selectionEnd } = field;
      // React compares with what it last saw.
      field.value = defaultValue;
      set(field, value, "input");
      if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd);
    },
  ];
}

/** Sets a value as the browser does, unseen by React until the event. */
function set(field: Field, value: string, event: "input" | "change") {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event(event, { bubbles: true }));
}

import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { submitted } from "@/components/submitted";
import { cn } from "@/lib/browser/class-name";

interface Chosen {
  text: string;
  /** what pressing it changes */
  what: string;
  onChange: () => void;
}

export interface FilterStepProps {
  /** choices of the earlier steps */
  chosen: Chosen[];
  onSubmit?: (() => void) | undefined;
  children: ReactNode;
}

/** A step of choosing a filter; Backspace in an empty field leads back. */
export function FilterStep({ chosen, onSubmit, children }: FilterStepProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Not the field on touch screens: their keyboard would cover the suggestions.
    const places = ["input", "ul button"];
    if (matchMedia("(pointer: coarse)").matches) places.reverse();
    // After the popover has taken the focus, or the last step's button has lost it.
    const timer = setTimeout(() => {
      const [first] = places.flatMap((place) => [...(form.current?.querySelectorAll<HTMLElement>(place) ?? [])]);
      first?.focus();
    }, 20);
    return () => clearTimeout(timer);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    if (key !== "Backspace" || (target instanceof HTMLInputElement && target.value !== "")) return;
    event.preventDefault();
    chosen.at(-1)?.onChange();
  };
  return (
    <form ref={form} onSubmit={submitted(() => onSubmit?.())} onKeyDown={onKeyDown} className="flex flex-col gap-2">
      {chosen.length > 0 && (
        <div className="flex max-w-full self-start overflow-hidden rounded-md border border-border-strong">
          {chosen.map(({ text, what, onChange }, at) => (
            <button
              key={what}
              type="button"
              aria-label={`Change ${what} ${text}`}
              onClick={onChange}
              className={cn(
                "min-h-7 min-w-0 truncate border-border border-r px-2 text-xs last:border-r-0 hover:bg-hover",
                "focus-visible:-outline-offset-2 pointer-coarse:min-h-10",
                at === 0 ? "font-medium" : "shrink-0 text-text-muted",
              )}
            >
              {text}
            </button>
          ))}
        </div>
      )}
      {children}
    </form>
  );
}

"use client";

import { type ComponentProps, useId } from "react";
import { BOX } from "@/components/ui/checkbox";
import { cn } from "@/lib/browser/class-name";

interface ChoiceCardsProps extends Omit<ComponentProps<"input">, "type" | "value" | "defaultValue"> {
  label: string;
  /** the initial choice, in an uncontrolled form */
  defaultValue?: string;
  /** the choice, in a controlled one */
  checkedValue?: string;
  options: { value: string; label: string; hint: string }[];
}

/** Radio buttons with a hint each. Other props go to every button. */
export function ChoiceCards({ label, options, defaultValue, checkedValue, ...props }: ChoiceCardsProps) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">{label}</legend>
      {options.map(({ value, label: name, hint }) => (
        <label
          key={value}
          htmlFor={`${id}-${value}`}
          className="flex gap-3 rounded-lg border border-border-strong bg-raised px-3 py-2 transition-colors duration-120 hover:bg-hover has-checked:border-accent has-checked:bg-selected"
        >
          <input
            {...props}
            {...(checkedValue !== undefined && { checked: value === checkedValue })}
            {...(defaultValue !== undefined && { defaultChecked: value === defaultValue })}
            type="radio"
            id={`${id}-${value}`}
            value={value}
            aria-label={name}
            aria-describedby={`${id}-${value}-hint`}
            className={cn(BOX, "mt-0.5 rounded-full checked:bg-radio")}
          />
          <span className="flex flex-col">
            <span className="font-medium">{name}</span>
            <span id={`${id}-${value}-hint`} className="text-text-muted text-xs">
              {hint}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

import { type ComponentProps, type ReactNode, useId } from "react";
import { BOX } from "@/components/ui/checkbox";
import { cn } from "@/lib/browser/class-name";

interface ChoiceCardsProps extends Omit<ComponentProps<"input">, "type" | "value" | "defaultValue"> {
  label: string;
  /** the initial choice, if uncontrolled */
  defaultValue?: string;
  /** the current choice, if controlled */
  checkedValue?: string;
  options: { value: string; label: string; hint: string; chip?: ReactNode }[];
  /** side by side where there is room */
  isRow?: boolean;
  /** shows the label to screen readers only */
  isLabelHidden?: boolean;
}

/** Radio buttons with a hint each. Other props go to every button. */
export function ChoiceCards(given: ChoiceCardsProps) {
  const { label, options, defaultValue, checkedValue, isRow = false, isLabelHidden = false, ...props } = given;
  const id = useId();
  return (
    <fieldset className={isRow ? "grid gap-3 sm:auto-cols-fr sm:grid-flow-col" : "flex flex-col gap-1.5"}>
      <legend className={isLabelHidden ? "sr-only" : "mb-1.5 font-medium"}>{label}</legend>
      {options.map(({ value, label: name, hint, chip }) => (
        <label
          key={value}
          htmlFor={`${id}-${value}`}
          className={cn(
            "flex gap-3 rounded-lg border border-border-strong bg-raised px-3 py-2 transition-colors",
            "hover:bg-hover has-checked:border-accent has-checked:bg-selected",
          )}
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
            <span className="flex flex-wrap items-center gap-x-2 font-medium">
              {name}
              {chip}
            </span>
            <span id={`${id}-${value}-hint`} className="text-text-muted text-xs">
              {hint}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

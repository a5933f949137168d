import { useId } from "react";
import { cn } from "@/lib/browser/class-name";

interface SegmentedProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: { value: Value; label: string }[];
}

/** A choice between few views: radio buttons that look like one control. */
export function Segmented<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  const id = useId();
  return (
    <div role="radiogroup" aria-label={label} className="flex w-fit max-w-full flex-wrap rounded-md bg-pressed p-0.5">
      {options.map((option) => (
        <label
          key={option.value}
          className={cn(
            "relative flex h-6 shrink-0 items-center rounded px-2.5 font-medium text-text-secondary text-xs",
            // If they wrap to two lines, both are filled.
            "max-sm:grow max-sm:justify-center max-sm:px-1.5",
            "transition-colors hover:text-text has-checked:bg-raised has-checked:text-text has-checked:shadow-button",
            "has-focus-visible:outline-2 has-focus-visible:outline-accent",
            "pointer-coarse:h-9 forced-colors:has-checked:outline-2",
          )}
        >
          <input
            type="radio"
            name={id}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-default appearance-none opacity-0 outline-none"
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

import { ChevronDown } from "lucide-react";
import type { Ref } from "react";
import { Field, type FieldTexts } from "@/components/ui/field";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { cn } from "@/lib/browser/class-name";

interface SelectProps<Value extends string> {
  /** its accessible name, unless a Field gives one */
  label?: string;
  value: Value;
  onChange: (value: Value) => void;
  options: { value: Value; label: string }[];
  /** shown if the value is not an option */
  placeholder?: string;
  /** from Field */
  id?: string;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: true | undefined;
  ref?: Ref<HTMLButtonElement>;
  disabled?: boolean;
  className?: string;
  /** class of the chosen value */
  valueClassName?: string;
}

/** A choice of one value from a menu. Screen readers get the label and the value. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, onChange, options, placeholder, id, className, valueClassName, ...control } = props;
  const chosen = options.find((option) => option.value === value)?.label ?? placeholder ?? value;
  return (
    <Menu
      button={{
        ...control,
        ...(id && { id, "aria-labelledby": `${id}-label ${id}-value` }),
        className: cn("min-w-0 justify-start gap-2 px-2.5! font-normal aria-invalid:border-danger", className),
        children: (
          <>
            {label && <span className="sr-only">{label}: </span>}
            <span id={id && `${id}-value`} className={cn("truncate", valueClassName)}>
              {chosen}
            </span>
            <ChevronDown aria-hidden className="ml-auto" />
          </>
        ),
      }}
    >
      <MenuChoice
        label={label ?? "Choices"}
        value={value}
        onChange={(next) => onChange(next as Value)}
        options={options}
      />
    </Menu>
  );
}

/** {@link Select} with its label, hint and error. */
export function SelectField<Value extends string>(props: Omit<SelectProps<Value>, "label"> & FieldTexts) {
  const { label, hint, error, ...select } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Share } from "@/components/data-model/share";
import { typedOf } from "@/components/definitions/draft";
import { EXAMPLES } from "@/components/definitions/property-fields";
import type { GuideOption } from "@/components/json-editor/guide";
import { shareOf } from "@/components/suggestions";
import { BOX } from "@/components/ui/checkbox";
import { FieldError } from "@/components/ui/field";
import { TextField } from "@/components/ui/text-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import type { PropertyType } from "@/lib/definitions/value-types";
import { summaryQuery } from "@/lib/groups/queries";

interface ValueFieldProps {
  member: "properties" | "mapping";
  /** of the property, or the id of the schema */
  name: string;
  type: PropertyType;
  /** the only values; undefined where any of the type is allowed */
  options: GuideOption[] | undefined;
  /** as typed; where there are options, JSON text */
  value: string;
  hint: string | undefined;
  error: string | undefined;
  onChange: (value: string) => void;
}

const BOOLEANS: GuideOption[] = ["true", "false"].map((literal) => ({ literal, label: literal }));

/** A value of a property or schema, by its definition, with how many groups have which. */
export function ValueField({ member, name, type, options, value, hint, error, onChange }: ValueFieldProps) {
  const id = useId();
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const label = member === "mapping" ? "Data source" : "Value";
  const property = member === "properties" ? summary?.properties.find((one) => one.name === name) : undefined;
  const known = (property?.values ?? []).map((one) => ({
    literal: JSON.stringify(one.value),
    share: one.groups / Math.max(1, summary?.sampled ?? 0),
  }));
  const listed = options ?? (type === "boolean" ? BOOLEANS : undefined);
  if (listed) {
    const choices = listed.map((option) => ({
      ...option,
      share: known.find(({ literal }) => literal === option.literal)?.share ?? 0,
    }));
    return (
      <ValueChoices
        label={label}
        choices={choices}
        hasShares={property !== undefined}
        value={value}
        hint={hint}
        error={error}
        onChange={onChange}
      />
    );
  }
  return (
    <>
      <TextField
        label={label}
        hint={hint}
        error={error}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        list={`${id}-values`}
        placeholder={EXAMPLES[type]}
        inputMode={type === "integer" || type === "number" ? "decimal" : "text"}
        isLiteral
        className="font-mono"
      />
      <datalist id={`${id}-values`}>
        {known.map(({ literal, share }) => (
          <option key={literal} value={typedOf(type, literal)}>
            {shareOf(share, 1)}
          </option>
        ))}
      </datalist>
    </>
  );
}

interface ValueChoicesProps extends Pick<ValueFieldProps, "value" | "hint" | "error" | "onChange"> {
  label: string;
  choices: (GuideOption & { share: number })[];
  hasShares: boolean;
}

/** The allowed values as radio buttons. */
function ValueChoices({ label: legend, choices, hasShares, value, hint, error, onChange }: ValueChoicesProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={error && `${id}-error`} className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">{legend}</legend>
      {hint && <p className="text-text-muted text-xs">{hint}</p>}
      <div className="max-h-80 overflow-y-auto rounded-lg border border-border">
        {choices.map(({ literal, label, share }) => (
          <label
            key={literal}
            htmlFor={`${id}-${literal}`}
            className={cn(
              "grid min-h-10 grid-cols-[auto_minmax(0,1fr)_80px_44px] items-center gap-x-3 border-border border-b px-3",
              "last:border-b-0 hover:bg-hover has-checked:bg-selected",
            )}
          >
            <input
              type="radio"
              id={`${id}-${literal}`}
              name={id}
              value={literal}
              checked={value === literal}
              aria-label={label}
              onChange={() => onChange(literal)}
              className={cn(BOX, "rounded-full checked:bg-radio")}
            />
            <span className="break-all font-mono text-xs">{label}</span>
            {hasShares && (
              <>
                <Share part={share} />
                <span className="text-right text-text-secondary text-xs tabular-nums">{shareOf(share, 1)}</span>
              </>
            )}
          </label>
        ))}
      </div>
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </fieldset>
  );
}

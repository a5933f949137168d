import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Share } from "@/components/data-model/share";
import { typedOf } from "@/components/definitions/draft";
import { EXAMPLES } from "@/components/definitions/property-fields";
import type { GuideOption } from "@/components/json-editor/guide";
import { leadIntoSuggestions, Suggestions, shareOf } from "@/components/suggestions";
import { BOX } from "@/components/ui/checkbox";
import { Field, FieldError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
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
const SUGGESTED = 5;
/** More are a menu. */
const MAX_CHOICES = 8;

/** A value of a property or schema, by its definition. */
export function ValueField({ member, name, type, options, value, hint, error, onChange }: ValueFieldProps) {
  const slug = useEnvironmentSlug();
  const { data: summary } = useQuery(summaryQuery(slug));
  const listed = options ?? (type === "boolean" ? BOOLEANS : undefined);
  const property = member === "properties" ? summary?.properties.find((one) => one.name === name) : undefined;
  const values = (property?.values ?? [])
    .map((one) => ({ typed: typedOf(type, JSON.stringify(one.value)), groups: one.groups }))
    .filter(({ typed }) => typed.toLowerCase().includes(value.trim().toLowerCase()) && typed !== value)
    .slice(0, SUGGESTED);
  if (listed && property && listed.length <= MAX_CHOICES) {
    const sampled = summary?.sampled ?? 0;
    const groupsWith = ({ literal }: GuideOption) =>
      property.values.find((one) => JSON.stringify(one.value) === literal)?.groups ?? 0;
    const choices = listed.map((option) => ({ ...option, share: groupsWith(option) / Math.max(1, sampled) }));
    return <ValueChoices choices={choices} value={value} hint={hint} error={error} onChange={onChange} />;
  }
  return (
    <>
      <Field label={member === "mapping" ? "Data source" : "Value"} hint={hint} error={error}>
        {(control) =>
          listed ? (
            <Select
              {...control}
              value={value}
              options={[
                { value: "", label: "Choose…" },
                ...listed.map(({ literal, label }) => ({ value: literal, label })),
              ]}
              onChange={onChange}
              className="w-full"
            />
          ) : (
            <Input
              {...control}
              value={value}
              onChange={({ target }) => onChange(target.value)}
              onKeyDown={leadIntoSuggestions}
              placeholder={EXAMPLES[type]}
              inputMode={type === "integer" || type === "number" ? "decimal" : "text"}
              isLiteral
              className="font-mono"
            />
          )
        }
      </Field>
      {!listed && (
        <Suggestions
          label="Values"
          suggestions={values.map(({ typed, groups }) => ({
            key: typed,
            label: typed,
            note: shareOf(groups, summary?.sampled ?? 0),
            onChoose: () => onChange(typed),
          }))}
        />
      )}
    </>
  );
}

interface ValueChoicesProps extends Pick<ValueFieldProps, "value" | "hint" | "error" | "onChange"> {
  choices: (GuideOption & { share: number })[];
}

/** The allowed values as radio buttons, with how many groups have each. */
function ValueChoices({ choices, value, hint, error, onChange }: ValueChoicesProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={error && `${id}-error`} className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">Value</legend>
      {hint && <p className="text-text-muted text-xs">{hint}</p>}
      <div className="overflow-hidden rounded-lg border border-border">
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
            <Share part={share} />
            <span className="text-right text-text-secondary text-xs tabular-nums">{shareOf(share, 1)}</span>
          </label>
        ))}
      </div>
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </fieldset>
  );
}

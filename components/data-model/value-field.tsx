import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { typedOf } from "@/components/definitions/draft";
import { EXAMPLES } from "@/components/definitions/property-fields";
import { BOOLEANS, type GuideOption } from "@/components/json-editor/guide";
import { shareOf } from "@/components/suggestions";
import { SelectField } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { PropertyType } from "@/lib/definitions/value-types";
import { summaryQuery } from "@/lib/groups/queries";

interface ValueFieldProps {
  member: "properties" | "mapping";
  /** the property's name, or the schema's id */
  name: string;
  type: PropertyType;
  /** the only values allowed; undefined if any of the type is */
  options: GuideOption[] | undefined;
  /** as typed; JSON text if there are options */
  value: string;
  hint: string | undefined;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** A field for a value of a property or schema, by its definition, with how many groups have each value. */
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
    const choices = listed.map(({ literal, label: name }) => {
      const share = known.find((one) => one.literal === literal)?.share ?? 0;
      return { value: literal, label: property ? `${name} · ${shareOf(share, 1)}` : name };
    });
    return (
      <SelectField
        label={label}
        hint={hint}
        error={error}
        value={value}
        placeholder="Choose…"
        options={choices}
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

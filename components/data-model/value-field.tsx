import { useQuery } from "@tanstack/react-query";
import { typedOf } from "@/components/definitions/draft";
import { EXAMPLES } from "@/components/definitions/property-fields";
import { leadIntoSuggestions, Suggestions, shareOf } from "@/components/groups/suggestions";
import type { GuideOption } from "@/components/json-editor/guide";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import { useEnvironmentSlug } from "@/components/use-environment";
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

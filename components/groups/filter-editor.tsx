import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import {
  asTyped,
  OPERATORS,
  type Operator,
  type PropertyCondition,
  plainText,
  typedValue,
} from "@/components/groups/condition";
import { STATES, USES } from "@/components/groups/list-state";
import {
  leadIntoSuggestions,
  type Suggestion,
  Suggestions,
  shareOf,
  suggestedProperties,
} from "@/components/groups/suggestions";
import { holdsWholeToken } from "@/components/pasted-token";
import { Button } from "@/components/ui/button";
import { FieldError } from "@/components/ui/field";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { summaryQuery } from "@/lib/groups/queries";

interface FilterEditorProps {
  /** the condition to change; none for a new one */
  condition?: PropertyCondition | undefined;
  onApply: (condition: PropertyCondition) => void;
  /** offered for a new filter only */
  onState?: (state: string) => void;
  onUsed?: (used: string) => void;
  onClose: () => void;
}

/** A filter by a property, or by the state or the last use. */
export function FilterEditor({ condition, onApply, onState, onUsed, onClose }: FilterEditorProps) {
  const [special, setSpecial] = useState<Special>();
  if (special) return <Choices {...special} onClose={onClose} />;
  const specials: Special[] = [
    ...(onState ? [{ label: "State", options: STATES, onChoose: onState }] : []),
    ...(onUsed ? [{ label: "Last used", options: USES, onChoose: onUsed }] : []),
  ];
  const offered = specials.map((one) => ({ key: one.label, label: one.label, onChoose: () => setSpecial(one) }));
  return <ConditionForm condition={condition} specials={offered} onApply={onApply} onClose={onClose} />;
}

interface Special {
  label: string;
  options: { value: string; label: string }[];
  onChoose: (value: string) => void;
}

function Choices({ label, options, onChoose, onClose }: Special & Pick<FilterEditorProps, "onClose">) {
  const suggestions = options.map(({ value, label: text }) => ({
    key: value,
    label: text,
    onChoose: () => {
      onChoose(value);
      onClose();
    },
  }));
  return (
    <form className="flex flex-col gap-2">
      <p className="font-medium">{label}</p>
      <Suggestions label={label} suggestions={suggestions} />
    </form>
  );
}

const SUGGESTED = 20;

interface ConditionFormProps extends Pick<FilterEditorProps, "condition" | "onApply" | "onClose"> {
  /** before the names of properties */
  specials: Suggestion[];
}

/** A filter's property, operator and value, with the names and values that groups have. */
function ConditionForm({ condition, specials, onApply, onClose }: ConditionFormProps) {
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const [name, setName] = useState(condition?.name ?? "");
  const [operator, setOperator] = useState<Operator>(condition?.operator ?? "is");
  const [typed, setTyped] = useState(condition ? asTyped(condition.value, condition.operator) : "");
  const [refusal, setRefusal] = useState<string>();
  const valueField = useRef<HTMLInputElement>(null);
  const property = summary?.properties.find((one) => one.name === name.trim());
  const hasValue = operator !== "missing";
  const finish = (value: string) => {
    if ([name, value].some(holdsWholeToken)) {
      return setRefusal("Filters appear in the URL, so they can’t contain tokens. Use search instead.");
    }
    const isText = operator !== "gt" && operator !== "lt" && isKnownText(value, property?.values);
    onApply({ name: name.trim(), operator, value: hasValue ? (isText ? JSON.stringify(value) : value) : "" });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return setRefusal("Choose a property.");
    if (hasValue && typed.trim() === "") {
      valueField.current?.focus();
      return setRefusal(undefined);
    }
    finish(typedValue(typed, operator));
  };
  const wanted = name.trim().toLowerCase();
  const properties = suggestedProperties(summary, {
    ...{ part: name, most: SUGGESTED },
    onChoose: (chosen) => {
      setName(chosen);
      // Once it is there.
      setTimeout(() => valueField.current?.focus());
    },
  });
  const names = [...specials.filter(({ label }) => label.toLowerCase().startsWith(wanted)), ...properties];
  const values: Suggestion[] = (property && (operator === "is" || operator === "not") ? property.values : [])
    .filter(({ value }) => typed === "" || String(value).toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ value, groups }) => ({
      key: JSON.stringify(value),
      label: String(value),
      note: shareOf(groups, summary?.sampled ?? 0),
      onChoose: () => finish(JSON.stringify(value)),
    }));
  const keyInName = (event: KeyboardEvent<HTMLInputElement>) => {
    leadIntoSuggestions(event);
    if (event.key !== "Enter" || property || typed !== "") return;
    // What is typed so far means the first that fits.
    const [first] = properties;
    event.preventDefault();
    if (first && wanted !== "") first.onChoose();
    else valueField.current?.focus();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label="Property"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={keyInName}
        isLiteral
        placeholder="plan"
      />
      {!property && <Suggestions label="Properties" suggestions={names} />}
      <div className="flex gap-2">
        <div className="shrink-0 self-end">
          <Select
            label="Operator"
            value={operator}
            onChange={setOperator}
            options={OPERATORS.map(({ value, label }) => ({ value, label }))}
          />
        </div>
        {hasValue && (
          <div className="min-w-0 flex-1">
            <TextField
              label="Value"
              ref={valueField}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              onKeyDown={leadIntoSuggestions}
              isLiteral
              placeholder={placeholderOf(property?.values[0]?.value)}
            />
          </div>
        )}
      </div>
      <Suggestions label="Values" suggestions={values} />
      {hasValue && values.length === 0 && (
        <p className="text-text-muted text-xs">Text, a number, true, false or null. Quotes make it text.</p>
      )}
      <FieldError>{refusal}</FieldError>
      <Button type="submit" variant="primary">
        {condition ? "Change filter" : "Add filter"}
      </Button>
    </form>
  );
}

/** Where groups have a text of digits, these digits are that text. */
function isKnownText(value: string, known: { value: unknown }[] = []): boolean {
  const isSame = known.some((one) => JSON.stringify(one.value) === value);
  return /^-?[\d.]+$/.test(value) && !isSame && known.some((one) => one.value === value);
}

function placeholderOf(value: unknown): string {
  return value === undefined ? "pro" : plainText(JSON.stringify(value));
}

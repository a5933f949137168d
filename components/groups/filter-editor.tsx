import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FilterStep, type FilterStepProps } from "@/components/filter-step";
import {
  asTyped,
  OPERATORS,
  type Operator,
  type PropertyCondition,
  plainText,
  typedValue,
  writeCondition,
} from "@/components/groups/condition";
import { STATES, USES } from "@/components/groups/list-state";
import type { ListInUrl } from "@/components/groups/use-list-state";
import { holdsToken } from "@/components/pasted-token";
import {
  leadIntoSuggestions,
  type Suggestion,
  Suggestions,
  shareOf,
  suggestedProperties,
} from "@/components/suggestions";
import { Button } from "@/components/ui/button";
import { FieldError } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useEnvironmentSlug } from "@/components/use-environment";
import { summaryQuery } from "@/lib/groups/queries";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";

/** Adds a filter to the list. */
export function NewFilter({ list, show, onClose }: ListInUrl & { onClose: () => void }) {
  const specials = [
    { label: "State", options: STATES, onChoose: (state: string) => show({ state }) },
    { label: "Last used", options: USES, onChoose: (used: string) => show({ used }) },
  ];
  return (
    <FilterEditor
      specials={specials}
      onApply={(condition) => void show({ filters: [...new Set([...list.filters, writeCondition(condition)])] })}
      onClose={onClose}
    />
  );
}

interface FilterEditorProps {
  /** the condition to change; undefined for a new one */
  condition?: PropertyCondition | undefined;
  /** choices listed with the properties */
  specials?: Choice<string>[];
  onApply: (condition: PropertyCondition) => void;
  onClose: () => void;
}

/** A filter in three steps: a property, an operator, a value; or by the state or the last use, in two. */
export function FilterEditor({ condition, specials = [], onApply, onClose }: FilterEditorProps) {
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const [special, setSpecial] = useState<Choice<string>>();
  const [name, setName] = useState(condition?.name);
  // "is missing" has no value to edit.
  const first = condition?.operator === "missing" ? undefined : condition?.operator;
  const [operator, setOperator] = useState<Operator | undefined>(first);
  const restart = () => {
    setSpecial(undefined);
    setName(undefined);
    setOperator(undefined);
  };
  const apply = (chosen: PropertyCondition) => {
    onApply(chosen);
    onClose();
  };
  if (special) {
    const choose = (value: string) => {
      special.onChoose(value);
      onClose();
    };
    return <ChoiceStep {...special} onChoose={choose} onBack={restart} />;
  }
  if (name === undefined) {
    return <PropertyStep summary={summary} specials={specials} onSpecial={setSpecial} onName={setName} />;
  }
  if (operator === undefined) {
    const choose = (value: Operator) => {
      if (value === "missing") apply({ name, operator: value, value: "" });
      else setOperator(value);
    };
    return <ChoiceStep label={name} options={OPERATORS} onChoose={choose} onBack={restart} />;
  }
  const word = OPERATORS.find(({ value }) => value === operator)?.label ?? operator;
  return (
    <ValueStep
      summary={summary}
      name={name}
      operator={operator}
      initial={condition?.name === name ? asTyped(condition.value, condition.operator) : undefined}
      chosen={[
        { text: name, what: "property", onChange: restart },
        { text: word, what: "operator", onChange: () => setOperator(undefined) },
      ]}
      verb={condition ? "Change filter" : "Add filter"}
      onValue={(value) => apply({ name, operator, value })}
    />
  );
}

interface Choice<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string }[];
  onChoose: (value: Value) => unknown;
}

/** A step with a few options for the earlier choice. */
function ChoiceStep<Value extends string>(props: Choice<Value> & { onBack: () => void }) {
  const { label, options, onChoose, onBack } = props;
  const suggestions = options.map((option) => ({
    key: option.value,
    label: option.label,
    onChoose: () => onChoose(option.value),
  }));
  return (
    <FilterStep chosen={[{ text: label, what: "property", onChange: onBack }]}>
      <Suggestions label="Choices" suggestions={suggestions} />
    </FilterStep>
  );
}

const SUGGESTED = 20;

interface PropertyStepProps {
  summary: SummaryAnswer | undefined;
  specials: Choice<string>[];
  onSpecial: (special: Choice<string>) => void;
  onName: (name: string) => void;
}

/** Chooses a property: Enter takes the first match, and other names can be typed. */
function PropertyStep({ summary, specials, onSpecial, onName }: PropertyStepProps) {
  const [text, setText] = useState("");
  const wanted = text.trim();
  const properties = suggestedProperties(summary, { part: text, most: SUGGESTED, onChoose: onName });
  const isExact = ({ label }: Suggestion) => label === wanted;
  const isKnown = properties.some(isExact);
  const suggestions = [
    ...properties.filter(isExact),
    ...specials
      .filter(({ label }) => label.toLowerCase().startsWith(wanted.toLowerCase()))
      .map((special) => ({ key: special.label, label: special.label, onChoose: () => onSpecial(special) })),
    ...properties.filter((one) => !isExact(one)),
    ...(isKnown || wanted === ""
      ? []
      : [{ key: "typed", label: `“${wanted}”`, note: "other", onChoose: () => onName(wanted) }]),
  ];
  return (
    <FilterStep chosen={[]} onSubmit={() => wanted !== "" && suggestions[0]?.onChoose()}>
      <Input
        aria-label="Property"
        placeholder="Filter by…"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={leadIntoSuggestions}
        isLiteral
      />
      <Suggestions label="Properties" suggestions={suggestions} isFirstTaken={wanted !== ""} />
    </FilterStep>
  );
}

interface ValueStepProps extends Omit<FilterStepProps, "children"> {
  summary: SummaryAnswer | undefined;
  name: string;
  operator: Operator;
  /** as typed */
  initial?: string | undefined;
  verb: string;
  /** gets JSON text */
  onValue: (value: string) => void;
}

function ValueStep({ summary, name, operator, initial = "", verb, onValue, chosen }: ValueStepProps) {
  const [typed, setTyped] = useState(initial);
  const [refusal, setRefusal] = useState<string>();
  const known = summary?.properties.find((one) => one.name === name)?.values ?? [];
  const isRange = operator === "gt" || operator === "lt";
  const finish = (value: string) => {
    if ([name, value].some(holdsToken)) {
      return setRefusal("Filters appear in the URL, so they can’t contain tokens. Use search instead.");
    }
    const hasNumbers = known.length > 0 && known.every((one) => typeof one.value === "number");
    if (isRange && hasNumbers && value.startsWith('"')) return setRefusal(`${name} is a number: enter one.`);
    onValue(!isRange && isKnownText(value, known) ? JSON.stringify(value) : value);
  };
  const part = typed === initial ? "" : typed.trim().toLowerCase();
  const values: Suggestion[] = (operator === "is" || operator === "not" ? known : [])
    .filter(({ value }) => String(value).toLowerCase().includes(part))
    .map(({ value, groups }) => ({
      key: JSON.stringify(value),
      label: String(value),
      note: shareOf(groups, summary?.sampled ?? 0),
      onChoose: () => finish(JSON.stringify(value)),
    }));
  return (
    <FilterStep chosen={chosen} onSubmit={() => typed.trim() !== "" && finish(typedValue(typed, operator))}>
      <Input
        aria-label="Value"
        placeholder={known[0] ? plainText(JSON.stringify(known[0].value)) : "Value"}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setRefusal(undefined);
        }}
        onKeyDown={leadIntoSuggestions}
        aria-invalid={refusal !== undefined}
        isLiteral
      />
      <FieldError>{refusal}</FieldError>
      <Suggestions label="Values" suggestions={values} />
      {values.length === 0 && (
        <p className="text-text-muted text-xs">Text, a number, true, false or null. Quotes make it text.</p>
      )}
      {typed.trim() !== "" && (
        <Button type="submit" variant="primary">
          {verb}
        </Button>
      )}
    </FilterStep>
  );
}

/** Whether groups have this value as text, though it could be read as a number. */
function isKnownText(value: string, known: { value: unknown }[]): boolean {
  const isSame = known.some((one) => JSON.stringify(one.value) === value);
  return /^-?[\d.]+$/.test(value) && !isSame && known.some((one) => one.value === value);
}

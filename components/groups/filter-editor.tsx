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
} from "@/components/groups/condition";
import { STATES, USES } from "@/components/groups/list-state";
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

interface FilterEditorProps {
  /** the condition to change; none for a new one */
  condition?: PropertyCondition | undefined;
  onApply: (condition: PropertyCondition) => void;
  /** offered for a new filter only */
  onState?: (state: string) => void;
  onUsed?: (used: string) => void;
  onClose: () => void;
}

/** A choice of its own, with neither operator nor value. */
interface Special {
  label: string;
  options: { value: string; label: string }[];
  onChoose: (value: string) => void;
}

/** A filter in three steps: a property, an operator, a value; or by the state or the last use, in two. */
export function FilterEditor({ condition, onApply, onState, onUsed, onClose }: FilterEditorProps) {
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const [special, setSpecial] = useState<Special>();
  const [name, setName] = useState(condition?.name);
  const [operator, setOperator] = useState<Operator | undefined>(condition?.operator);
  const [refusal, setRefusal] = useState<string>();
  const restart = () => {
    setSpecial(undefined);
    setName(undefined);
    setOperator(undefined);
    setRefusal(undefined);
  };
  const apply = (chosen: PropertyCondition) => {
    onApply(chosen);
    onClose();
  };
  if (special) {
    const suggestions = special.options.map(({ value, label }) => ({
      key: value,
      label,
      onChoose: () => {
        special.onChoose(value);
        onClose();
      },
    }));
    return (
      <FilterStep key="special" chosen={[{ text: special.label, what: "property", onChange: restart }]}>
        <Suggestions label={special.label} suggestions={suggestions} />
      </FilterStep>
    );
  }
  if (name === undefined) {
    const specials: Special[] = [
      ...(onState ? [{ label: "State", options: STATES, onChoose: onState }] : []),
      ...(onUsed ? [{ label: "Last used", options: USES, onChoose: onUsed }] : []),
    ];
    return <PropertyStep summary={summary} specials={specials} onSpecial={setSpecial} onName={setName} />;
  }
  const property = { text: name, what: "property", onChange: restart };
  if (operator === undefined) {
    const suggestions = OPERATORS.map(({ value, label }) => ({
      key: value,
      label,
      onChoose: () => {
        setRefusal(undefined);
        if (value === "missing") apply({ name, operator: value, value: "" });
        else setOperator(value);
      },
    }));
    return (
      <FilterStep key="operator" chosen={[property]}>
        <Suggestions label="Operators" suggestions={suggestions} />
      </FilterStep>
    );
  }
  const word = OPERATORS.find(({ value }) => value === operator)?.label ?? operator;
  return (
    <ValueStep
      summary={summary}
      name={name}
      operator={operator}
      refusal={refusal}
      initial={condition?.name === name ? asTyped(condition.value, condition.operator) : undefined}
      chosen={[property, { text: word, what: "operator", onChange: () => setOperator(undefined) }]}
      verb={condition ? "Change filter" : "Add filter"}
      onRefuse={setRefusal}
      onValue={(value) => apply({ name, operator, value })}
    />
  );
}

const SUGGESTED = 20;

interface PropertyStepProps {
  summary: SummaryAnswer | undefined;
  specials: Special[];
  onSpecial: (special: Special) => void;
  onName: (name: string) => void;
}

/** Enter takes the first that fits; another name can be typed. */
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
      .map((special, at, all) => ({
        key: special.label,
        label: special.label,
        isLastOfKind: at === all.length - 1,
        onChoose: () => onSpecial(special),
      })),
    ...properties.filter((one) => !isExact(one)),
    ...(isKnown || wanted === ""
      ? []
      : [{ key: "typed", label: `“${wanted}”`, note: "other", onChoose: () => onName(wanted) }]),
  ];
  return (
    <FilterStep key="property" chosen={[]} onSubmit={() => wanted !== "" && suggestions[0]?.onChoose()}>
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
  refusal: string | undefined;
  onRefuse: (why: string | undefined) => void;
  /** gets JSON text */
  onValue: (value: string) => void;
}

function ValueStep({
  summary,
  name,
  operator,
  initial = "",
  verb,
  refusal,
  onRefuse,
  onValue,
  chosen,
}: ValueStepProps) {
  const [typed, setTyped] = useState(initial);
  const known = summary?.properties.find((one) => one.name === name)?.values ?? [];
  const isRange = operator === "gt" || operator === "lt";
  const finish = (value: string) => {
    if ([name, value].some(holdsToken)) {
      return onRefuse("Filters appear in the URL, so they can’t contain tokens. Use search instead.");
    }
    const hasNumbers = known.length > 0 && known.every((one) => typeof one.value === "number");
    if (isRange && hasNumbers && value.startsWith('"')) return onRefuse(`${name} is a number: enter one.`);
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
    <FilterStep key="value" chosen={chosen} onSubmit={() => typed.trim() !== "" && finish(typedValue(typed, operator))}>
      <Input
        aria-label="Value"
        placeholder={known[0] ? plainText(JSON.stringify(known[0].value)) : "Value"}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          onRefuse(undefined);
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

/** Where groups have a text of digits, these digits are that text. */
function isKnownText(value: string, known: { value: unknown }[]): boolean {
  const isSame = known.some((one) => JSON.stringify(one.value) === value);
  return /^-?[\d.]+$/.test(value) && !isSame && known.some((one) => one.value === value);
}

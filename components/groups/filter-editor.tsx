"use client";

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
import { leadIntoSuggestions, type Suggestion, Suggestions, shareOf } from "@/components/groups/suggestions";
import { holdsWholeToken } from "@/components/pasted-token";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
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

const SUGGESTED = 20;

/** A filter's property, operator and value, with the names and values that groups have. */
export function FilterEditor({ condition, onApply, onState, onUsed, onClose }: FilterEditorProps) {
  const { data: summary } = useQuery(summaryQuery(useEnvironmentSlug()));
  const [name, setName] = useState(condition?.name ?? "");
  const [operator, setOperator] = useState<Operator>(condition?.operator ?? "is");
  const [typed, setTyped] = useState(condition ? asTyped(condition.value, condition.operator) : "");
  const [special, setSpecial] = useState<"state" | "used">();
  const [refusal, setRefusal] = useState<string>();
  const valueField = useRef<HTMLInputElement>(null);
  const property = summary?.properties.find((one) => one.name === name.trim());
  const hasValue = operator !== "missing";
  const finish = (value: string) => {
    if ([name, value].some(holdsWholeToken)) {
      return setRefusal("Filters appear in the URL, so they can’t contain tokens. Use search instead.");
    }
    const number = /^-?[\d.]+$/.test(value);
    const same = property?.values.find((one) => JSON.stringify(one.value) === value);
    // Where groups have a text of digits, these digits are that text.
    const asText =
      number && !same && property?.values.some((one) => one.value === value) && operator !== "gt" && operator !== "lt";
    onApply({ name: name.trim(), operator, value: hasValue ? (asText ? JSON.stringify(value) : value) : "" });
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
  if (special) {
    const [label, options, choose] =
      special === "state" ? ["State", STATES, onState] : (["Last used", USES, onUsed] as const);
    return (
      <form className="flex flex-col gap-2">
        <p className="font-medium">{label}</p>
        <Suggestions
          label={String(label)}
          suggestions={options.map(({ value, label: text }) => ({
            key: value,
            label: text,
            onChoose: () => {
              choose?.(value);
              onClose();
            },
          }))}
        />
      </form>
    );
  }
  const wanted = name.trim().toLowerCase();
  const names: Suggestion[] = [
    ...(onState && "state".startsWith(wanted)
      ? [{ key: "state", label: "State", onChoose: () => setSpecial("state") }]
      : []),
    ...(onUsed && "last used".startsWith(wanted)
      ? [{ key: "used", label: "Last used", onChoose: () => setSpecial("used") }]
      : []),
    ...(summary?.properties ?? [])
      .filter((one) => one.name.toLowerCase().includes(wanted))
      .slice(0, SUGGESTED)
      .map((one) => ({
        key: `property:${one.name}`,
        label: one.name,
        note: shareOf(one.groups, summary?.sampled ?? 0),
        onChoose: () => {
          setName(one.name);
          // Once it is there.
          setTimeout(() => valueField.current?.focus());
        },
      })),
  ];
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
    const first = names.find(({ key }) => key.startsWith("property:"));
    event.preventDefault();
    if (first && wanted !== "") first.onChoose();
    else valueField.current?.focus();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label="Property">
        {(control) => (
          <Input
            {...control}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={keyInName}
            autoComplete="off"
            spellCheck={false}
            placeholder="plan"
          />
        )}
      </Field>
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
            <Field label="Value">
              {(control) => (
                <Input
                  {...control}
                  ref={valueField}
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                  onKeyDown={leadIntoSuggestions}
                  autoComplete="off"
                  spellCheck={false}
                  placeholder={placeholderOf(property?.values[0]?.value)}
                />
              )}
            </Field>
          </div>
        )}
      </div>
      <Suggestions label="Values" suggestions={values} />
      {hasValue && values.length === 0 && (
        <p className="text-text-muted text-xs">Text, a number, true, false or null. Quotes make it text.</p>
      )}
      {refusal && (
        <p role="alert" className="text-danger text-xs">
          {refusal}
        </p>
      )}
      <Button type="submit" variant="primary">
        {condition ? "Change filter" : "Add filter"}
      </Button>
    </form>
  );
}

function placeholderOf(value: unknown): string {
  return value === undefined ? "pro" : plainText(JSON.stringify(value));
}

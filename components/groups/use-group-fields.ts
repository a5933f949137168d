import { useCallback, useRef, useState } from "react";
import type { z } from "zod";
import type { GroupForm, groupForm } from "@/lib/groups/schema";
import { compactObject } from "@/lib/json/json";

/** In the order shown. */
export const NAMES = ["user_group_id", "name", "properties", "mapping"] as const;
export type FieldName = (typeof NAMES)[number];
export type Values = z.output<typeof groupForm>;
type FieldErrors = Partial<Record<FieldName, string | undefined>>;

interface State {
  /** what someone else saved last, or the first values */
  outside: GroupForm;
  saved: GroupForm;
  values: GroupForm;
  errors: FieldErrors;
}

/** Loaded on demand: schemas are a sixth of the page's weight. */
export const importSchema = () => import("@/lib/groups/schema");

/** The fields of a group's form, compared with what is saved. (react-hook-form would be a sixteenth of the page.) */
export function useGroupFields(fields: GroupForm, isNew: boolean) {
  const [state, setState] = useState<State>({ outside: fields, saved: fields, values: fields, errors: {} });
  const latest = useRef(state);
  // Set by the first check; from then on, each change is checked.
  const schema = useRef<typeof groupForm>(undefined);
  const change = useCallback((next: Partial<State>) => {
    latest.current = { ...latest.current, ...next };
    setState(latest.current);
  }, []);
  const set = useCallback(
    (name: FieldName, value: string) => {
      const values = { ...latest.current.values, [name]: value };
      const error = schema.current && errorsIn(schema.current.safeParse(values))[name];
      change({ values, errors: { ...latest.current.errors, [name]: error } });
    },
    [change],
  );
  /** `saved` replaces the values sent, but not their white space; fields edited since are compared with those sent */
  const rebase = (saved: GroupForm, sent: GroupForm = latest.current.values) => {
    const { values: now } = latest.current;
    const [base, values] = [{ ...saved }, { ...saved }];
    for (const name of NAMES) {
      if (now[name] !== sent[name]) [base[name], values[name]] = [sent[name], now[name]];
      else if (isJson(name) && isSpaced(now[name], saved[name])) values[name] = now[name];
    }
    change({ saved: base, values, errors: {} });
  };
  // In place: another form would take the focus from these fields.
  if (!isNew && !isChanged(latest.current) && NAMES.some((name) => fields[name] !== state.saved[name])) {
    rebase(fields);
    change({ outside: fields });
  }
  return {
    ...state,
    isDirty: isChanged(state),
    set,
    /** the current state, even in a closure of an earlier render */
    now: () => latest.current,
    /** the values to send; undefined after setting errors */
    async check(): Promise<Values | undefined> {
      schema.current = (await importSchema()).groupForm;
      const result = schema.current.safeParse(latest.current.values);
      change({ errors: errorsIn(result) });
      return result.data;
    },
    setErrors: (errors: FieldErrors) => change({ errors }),
    rebase,
  };
}

export type GroupFields = ReturnType<typeof useGroupFields>;

function isChanged({ saved, values }: State): boolean {
  return NAMES.some((name) => values[name] !== saved[name] && !(isJson(name) && isSpaced(values[name], saved[name])));
}

function isJson(name: FieldName): boolean {
  return name === "properties" || name === "mapping";
}

/** Whether only white space between tokens differs, which is not stored. */
function isSpaced(one: string, other: string): boolean {
  const [bare, otherBare] = [one, other].map((text) => text.replace(/\s/g, ""));
  // Compared without white space first: parsing both on each key would be slow.
  return bare === otherBare && compactObject(one) !== undefined && compactObject(one) === compactObject(other);
}

/** The first error of each field. */
function errorsIn({ error }: z.ZodSafeParseResult<Values>): FieldErrors {
  const issues = error?.issues.map(({ path: [name], message }) => [name, message]) ?? [];
  return Object.fromEntries(issues.toReversed());
}

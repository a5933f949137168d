import { z } from "zod";
import { type FieldIssue, sayMore } from "@/lib/errors";
import { closestName } from "@/lib/json/closest-name";
import { beginning } from "@/lib/json/excerpt";
import { movedField } from "@/lib/json/moved-field";

/** The most unknown members to name: a body has room for thousands, and each costs a search and two messages. */
const MAX_UNKNOWN_NAMED = 10;
/** The most issues to name: a body has room for tens of thousands. */
const MAX_ISSUES = 100;

type Checked<Value> = { value: Value; issues?: undefined } | { value?: undefined; issues: FieldIssue[] };

/** Validates members against a schema: returns their value, or its issues. */
export function checkFields<Schema extends z.ZodType>(members: object, schema: Schema): Checked<z.infer<Schema>> {
  const result = schema.safeParse(members);
  if (result.success) return { value: result.data };
  const { issues } = result.error;
  const named = issues.slice(0, MAX_ISSUES).flatMap((issue) => toFieldIssues(issue, schema));
  return { issues: sayMore(named, issues.length - MAX_ISSUES, (count) => `and ${count} more problems`) };
}

function toFieldIssues(issue: z.core.$ZodIssue, schema: z.ZodType): FieldIssue[] {
  const path = issue.path.filter((step) => typeof step !== "symbol");
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  const known = fieldsAt(schema, path);
  const named = issue.keys
    .slice(0, MAX_UNKNOWN_NAMED)
    .map((key) => ({ path: [...path, beginning(key, 100)], message: unknownField(key, known) }));
  return sayMore(named, issue.keys.length - MAX_UNKNOWN_NAMED, (count) => `nor are ${count} more`);
}

/** The fields of a schema; none if they are not fixed. */
export function knownFields(schema: z.ZodType): string[] {
  return fieldsAt(schema, []);
}

/** The fields of the object at this path of a schema; none if there is no object with fixed fields. */
function fieldsAt(schema: z.core.$ZodType, path: readonly (string | number)[]): string[] {
  if (schema instanceof z.ZodPipe) return fieldsAt(schema.in instanceof z.ZodTransform ? schema.out : schema.in, path);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return fieldsAt(schema.def.innerType, path);
  }
  const [step, ...rest] = path;
  if (schema instanceof z.ZodRecord) return fieldsAt(schema.valueType, rest);
  if (schema instanceof z.ZodArray) return fieldsAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  if (step === undefined) return Object.keys(schema.shape);
  const field: z.core.$ZodType | undefined = schema.shape[step];
  return field ? fieldsAt(field, rest) : [];
}

/** The message for an unknown field. */
export function unknownField(key: string, known: string[]): string {
  const moved = movedField(key, known);
  if (moved) return `is not a known field: ${moved}`;
  const guess = closestName(key, known);
  if (guess) return `is not a known field (did you mean ${guess}?)`;
  return known.length === 0 ? "is not a known field" : `is not a known field. The fields are ${known.join(", ")}`;
}

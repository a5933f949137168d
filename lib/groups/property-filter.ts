import { JsonError, parseValue } from "@/lib/json/json";
import { RawJson, type ShallowJson } from "@/lib/json/raw-json";

/** A condition on a top-level property, as in `plan:is:"pro"`. */
export type PropertyFilter = { name: string /** as it was sent */; text: string } & (
  | { operator: "missing" }
  | { operator: "is"; value: ShallowJson }
  | { operator: "not" | "contains" | "gt" | "lt"; value: ShallowJson }
);
type Operator = PropertyFilter["operator"];

/** The first of them ends the name. */
const OPERATION = /:(?:(is|not|contains|gt|lt):|missing$)/;
const QUOTED = /^"(?:[^"\\]|\\.)*"/;
const SHAPE =
  'must be property:op:JSON value, as in plan:is:"pro", with op one of is, not, contains, gt and lt; or property:missing';

/** Why a condition cannot be read. */
export class FilterFault extends Error {}

/**
 * Reads a condition. The name ends before the first `:op:`; a name that contains one, or begins with a double quote, is
 * written as a JSON string.
 * @throws {FilterFault}
 */
export function readPropertyFilter(text: string): PropertyFilter {
  const quoted = QUOTED.exec(text)?.[0];
  const rest = text.slice(quoted?.length);
  const found = OPERATION.exec(quoted === undefined ? text : rest);
  const unquoted = quoted === undefined ? text.slice(0, found?.index) : "";
  if (!found || (quoted === undefined ? /^"|^$/.test(unquoted) : found.index > 0)) throw new FilterFault(SHAPE);
  const name = quoted === undefined ? unquoted : String(readJsonIn(quoted));
  const operator = (found[1] ?? "missing") as Operator;
  if (operator === "missing") return { name, operator, text };
  const value = readJsonIn((quoted === undefined ? text : rest).slice(found.index + found[0].length));
  checkKind(operator, value);
  return { name, operator, value, text };
}

/** The JSON text of a condition's value. */
export function writeOperand(value: ShallowJson): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value);
}

function checkKind(operator: Operator, value: ShallowJson) {
  if (operator === "contains" && typeof value !== "string") {
    throw new FilterFault('contains takes a JSON string, as in region:contains:"eu"');
  }
  if ((operator === "gt" || operator === "lt") && typeof value !== "string" && typeof value !== "number") {
    throw new FilterFault(`${operator} takes a number or a JSON string, as in seats:${operator}:10`);
  }
}

function readJsonIn(text: string): ShallowJson {
  try {
    return parseValue(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new FilterFault(`needs a JSON value after the operator, text in double quotes: ${error.reason}`);
  }
}

import { type FindingKey, UNNAMED } from "@/lib/definitions/findings-schema";
import { VALUE_FINDING_KINDS } from "@/lib/definitions/schema";
import { JsonError, parseValue } from "@/lib/json/json";
import { RawJson, type ShallowJson } from "@/lib/json/raw-json";

/** A condition on a top-level property, as in `plan:is:"pro"`. */
interface PropertyCondition {
  name: string;
  operator: "is" | "not" | "contains" | "gt" | "lt";
  value: ShallowJson;
}

/** A condition of a list; `text` is the condition as sent. */
export type Filter = { text: string } & (PropertyCondition | { operator: "finding"; finding: FindingKey });

/** The first operator, or a finding at the end, ends the name. */
const OPERATION = new RegExp(`:(?:(is|not|contains|gt|lt):|(${VALUE_FINDING_KINDS.join("|")})$)`);
const QUOTED = /^"(?:[^"\\]|\\.)*"/;
const SHAPE =
  'must be property:op:JSON value, as in plan:is:"pro", with op one of is, not, contains, gt and lt; ' +
  "or a finding, as in plan:missing or unused";

/** The condition is malformed. */
export class FilterFault extends Error {}

/**
 * Parses a condition. The name ends before the first `:op:`; a name that contains an operator, or begins with a double
 * quote, is written as a JSON string. A finding is `name:kind`, or its kind alone.
 * @throws {FilterFault}
 */
export function readFilter(text: string): Filter {
  const unnamed = UNNAMED.find((kind) => kind === text);
  if (unnamed) return { text, operator: "finding", finding: { kind: unnamed, name: null } };
  const quoted = QUOTED.exec(text)?.[0];
  const rest = text.slice(quoted?.length);
  const found = OPERATION.exec(rest);
  const unquoted = rest.slice(0, found?.index);
  if (!found || (quoted === undefined ? /^"|^$/.test(unquoted) : unquoted !== "")) throw new FilterFault(SHAPE);
  const name = quoted === undefined ? unquoted : String(readJsonIn(quoted));
  const kind = VALUE_FINDING_KINDS.find((one) => one === found[2]);
  if (kind) return { text, operator: "finding", finding: { kind, name } };
  const operator = found[1] as PropertyCondition["operator"];
  const value = readJsonIn(rest.slice(found.index + found[0].length));
  checkKind(operator, value);
  return { name, operator, value, text };
}

/** Parses a condition on a finding; undefined for any other text. */
export function findingIn(text: string): FindingKey | undefined {
  try {
    const filter = readFilter(text);
    return filter.operator === "finding" ? filter.finding : undefined;
  } catch (error) {
    if (error instanceof FilterFault) return undefined;
    throw error;
  }
}

/** The JSON text of a condition's value. */
export function writeOperand(value: ShallowJson): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value);
}

function checkKind(operator: PropertyCondition["operator"], value: ShallowJson) {
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

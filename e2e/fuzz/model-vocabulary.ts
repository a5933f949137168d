import fc from "fast-check";
import { type Caller, type Sender, TOKENS } from "./model";

// Values for the steps of a sequence, few enough to collide.

export const CALLERS = Object.keys(TOKENS) as (keyof typeof TOKENS)[];

const place = fc.constantFrom(0, 1);
export const sender: fc.Arbitrary<Sender> = fc.record({
  place,
  caller: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<Caller>("owner", "writer") },
    { weight: 1, arbitrary: fc.constantFrom(...CALLERS) },
  ),
});
/** Usually a caller with access to dashboard actions. */
export const admin = fc.oneof(
  { weight: 5, arbitrary: fc.record({ place, caller: fc.constant<Caller>("owner") }) },
  { weight: 1, arbitrary: sender },
);
/** True once in this many times. */
export const one = (many: number) => fc.nat({ max: many - 1 }).map((n) => n === many - 1);
/** The environment of an object: usually the request's. */
export const elsewhere = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });
// Few enough to collide.
export const id = fc.constantFrom("a", "b", "c");
export const tag = fc.constantFrom("any" as const, "any" as const, "current" as const, "stale" as const);
export const fields = fc.record(
  {
    name: fc.constantFrom("One", "Zwei", "Три"),
    mapping: fc.constantFrom("{}", '{"40":"213"}'),
    properties: fc.constantFrom(null, "{}", '{"b":1.10,"a":-0}'),
  },
  { requiredKeys: [] },
);
/** As text, so that numbers keep their spelling. */
export const patch = fc.record(
  {
    name: fc.constantFrom("One", "Vier"),
    mapping: fc.constantFrom("{}", '{"40":null}', '{"41":"7"}'),
    properties: fc.constantFrom(null, "{}", '{"b":null}', '{"c":1e2}', '{"a":-0,"c":null}', '{"b":"text","d":3}'),
  },
  { requiredKeys: [] },
);
export type Fields = { name?: string; mapping?: string; properties?: string | null };

/** As text, so that its numbers keep their spelling. */
export function bodyOf(id: string, { name, mapping, properties }: Fields): string {
  const members = [`"user_group_id":${JSON.stringify(id)}`];
  if (name !== undefined) members.push(`"name":${JSON.stringify(name)}`);
  if (mapping !== undefined) members.push(`"mapping":${mapping}`);
  if (properties !== undefined) members.push(`"properties":${properties}`);
  return `{${members.join(", ")}}`;
}

import type { oas31 } from "zod-openapi";
import { callsIn, followIn } from "@/lib/openapi/calls";

type Members = Record<string, unknown>;
type Schema = oas31.SchemaObject | oas31.ReferenceObject;

const TIME = "2026-11-20T08:00:00.000Z";

/**
 * Completes the examples of bodies and answers with those of their schemas and fields: `x-example`, used only here, or
 * `examples`.
 */
export function completeExamples(api: oas31.OpenAPIObject): oas31.OpenAPIObject {
  for (const { operation } of callsIn(api)) {
    const bodies = [operation.requestBody, operation.responses?.["200"]] as (oas31.RequestBodyObject | undefined)[];
    for (const sent of bodies) {
      const { schema = {}, examples = {} } = sent?.content["application/json"] ?? {};
      for (const example of Object.values(examples) as oas31.ExampleObject[]) {
        example.value = complete(example.value, schema, api);
      }
    }
  }
  removeOwn(api);
  return api;
}

function removeOwn(part: unknown) {
  if (typeof part !== "object" || part === null) return;
  delete (part as Members)["x-example"];
  for (const member of Object.values(part)) removeOwn(member);
}

/** A value of a schema: the given one, or the usual one for its place, or the schema's own example. */
function complete(given: unknown, of: Schema, api: object, usual?: unknown): unknown {
  const schema = followIn<oas31.SchemaObject>(api, of);
  const base = usual === undefined ? usualOf(schema) : usual;
  const value = given === undefined ? base : given;
  const options = (schema.anyOf ?? schema.oneOf)?.map((one) => followIn<oas31.SchemaObject>(api, one));
  if (options) {
    if (value === undefined && options.some(({ type }) => type === "null")) return null;
    return complete(value, options.find((one) => fits(value, one)) ?? options[0] ?? {}, api);
  }
  const { type, items = {}, properties, required = [] } = schema;
  if (type === "array") return ((value ?? [undefined]) as unknown[]).map((one) => complete(one, items, api));
  if (!properties || (value !== undefined && !isObject(value))) return value;
  const [members, under] = [value ?? {}, isObject(base) ? base : {}];
  const names = Object.keys(properties).filter((name) => required.includes(name) || name in members || name in under);
  return Object.fromEntries(
    names.map((name) => [name, complete(members[name], properties[name] ?? {}, api, under[name])]),
  );
}

function usualOf(schema: oas31.SchemaObject & { "x-example"?: unknown }): unknown {
  const { "x-example": example, examples = [], const: only, default: usual, enum: allowed = [], type } = schema;
  const first = [example, examples[0], only, usual, allowed[0]].find((one) => one !== undefined);
  if (first !== undefined) return first;
  if (Array.isArray(type)) return null;
  if (type === "integer" || type === "number") return Math.max(schema.minimum ?? 0, 0);
  if (type === "boolean") return true;
  if (type === "object") return schema.properties ? undefined : {};
  return type === "string" ? (schema.format === "date-time" ? TIME : "…") : undefined;
}

function fits(value: unknown, { type, properties = {} }: oas31.SchemaObject): boolean {
  if (Array.isArray(value)) return type === "array";
  if (!isObject(value)) return type === typeof value;
  return Object.entries(value).every(([name, member]) => {
    const its = properties[name];
    return its !== undefined && (!("const" in its) || its.const === member);
  });
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

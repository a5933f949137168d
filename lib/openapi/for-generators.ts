import type { oas31 } from "zod-openapi";
import { callsIn } from "@/lib/openapi/calls";

const DIGITS = /^\^(?:\[1-9\]|\\d|[+*?]|\{\d+,?\d*\})+\$$/;

/** Moves the body of a GET out of the way of generators, which misread it. */
export function forGenerators(api: oas31.OpenAPIObject): oas31.OpenAPIObject {
  for (const { method, operation } of callsIn(api)) {
    if (method !== "GET" || !operation.requestBody) continue;
    operation["x-request-body"] = operation.requestBody as oas31.RequestBodyObject;
    delete operation.requestBody;
  }
  return api;
}

/** JSON in a parameter, as text: with `content`, one generator crashes, and two send `[object Object]`. */
export function asJsonText({ examples }: oas31.SchemaObject): oas31.SchemaObject {
  const texts = examples?.map((example) => JSON.stringify(example));
  return { type: "string", contentMediaType: "application/json", ...(texts && { examples: texts }) };
}

/** A parameter of digits, which our schemas read as text, described as the number that it is to a caller. */
export function asNumber(schema: oas31.SchemaObject): oas31.SchemaObject {
  if (schema.items && typeof schema.items === "object")
    return { ...schema, items: asNumber(schema.items as oas31.SchemaObject) };
  const { pattern, examples, default: usual, ...rest } = schema;
  if (schema.type !== "string" || pattern === undefined || !DIGITS.test(pattern)) return schema;
  return {
    ...rest,
    type: "integer",
    minimum: 1,
    ...(usual !== undefined && { default: Number(usual) }),
    ...(examples && { examples: examples.map(Number) }),
  };
}

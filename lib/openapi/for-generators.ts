import type { oas31 } from "zod-openapi";
import { callsIn } from "@/lib/openapi/calls";

const DIGITS = /^\^(?:\[1-9\]|\\d|[+*?]|\{\d+,?\d*\})+\$$/;

/**
 * Restates what code generators misread: a GET's body, parameters with `content` (one generator crashes, two send
 * `[object Object]`), and whole numbers in a query, which schemas read as text.
 */
export function forGenerators(api: oas31.OpenAPIObject): oas31.OpenAPIObject {
  for (const { method, operation } of callsIn(api)) {
    const { security, parameters, requestBody } = operation;
    if (security?.length) {
      delete operation.security;
      operation.security = security;
    }
    if (parameters) operation.parameters = parameters.map(restate);
    if (method !== "GET" || !requestBody) continue;
    operation["x-request-body"] = requestBody as oas31.RequestBodyObject;
    delete operation.requestBody;
  }
  return api;
}

function restate(parameter: oas31.ParameterObject | oas31.ReferenceObject): typeof parameter {
  if (!("in" in parameter)) return parameter;
  const { content, schema, ...about } = parameter;
  const json = content?.["application/json"]?.schema;
  if (!json) return { ...about, ...(schema && { schema: asNumber(schema) }) };
  const examples = "examples" in json ? json.examples : undefined;
  const texts = examples?.map((example) => JSON.stringify(example));
  return {
    ...about,
    schema: { type: "string", contentMediaType: "application/json", ...(texts && { examples: texts }) },
  };
}

/** A text of digits as the number that it is. */
function asNumber(schema: oas31.SchemaObject | oas31.ReferenceObject): typeof schema {
  if (!("type" in schema)) return schema;
  if (schema.items && typeof schema.items === "object") return { ...schema, items: asNumber(schema.items) };
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

import type { oas31 } from "zod-openapi";

export const DESCRIBED_METHODS = ["get", "put", "post", "patch", "delete"] as const;
const DIGITS = /^\^(?:\[1-9\]|\\d|[+*?]|\{\d+,?\d*\})+\$$/;

/** An operation with the body that only some clients can send. */
export type DescribedOperation = oas31.OperationObject & {
  /** the body of a GET, which `fetch` cannot send: a generator must not write a call that always fails */
  "x-request-body"?: oas31.RequestBodyObject;
};

/**
 * Restates what code generators misread: a GET's body, parameters with `content` (one generator crashes, two send
 * `[object Object]`), and whole numbers in a query, which schemas read as text.
 */
export function forGenerators(api: oas31.OpenAPIObject): oas31.OpenAPIObject {
  for (const path of Object.values(api.paths ?? {})) {
    for (const method of DESCRIBED_METHODS) {
      const operation: DescribedOperation | undefined = path[method];
      if (!operation) continue;
      if (operation.parameters) operation.parameters = operation.parameters.map(restate);
      if (method !== "get" || !operation.requestBody || "$ref" in operation.requestBody) continue;
      operation["x-request-body"] = operation.requestBody as oas31.RequestBodyObject;
      delete operation.requestBody;
    }
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

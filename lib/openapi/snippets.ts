import type { oas31 } from "zod-openapi";
import { callsIn, type DescribedCall } from "@/lib/openapi/calls";
import { CURRENT_TOKEN, type Value } from "@/lib/snippets/literal";
import { classNameOf, encodeBase, type ProgramRequest } from "@/lib/snippets/request";

/** A call with the values of its examples. */
export interface ExampleCall {
  operationId: string;
  method: ProgramRequest["method"];
  /** with its parameters in braces */
  template: string;
  parameters: { name: string; in: string; value: unknown }[];
  body?: unknown;
  hasKey: boolean;
  isPublic: boolean;
  isText: boolean;
}

/** Every call of the description, in its order. */
export function exampleCalls(api: oas31.OpenAPIObject): ExampleCall[] {
  return callsIn(api).map(exampleCall);
}

function exampleCall({ method, path: template, operation }: DescribedCall): ExampleCall {
  const { operationId = "", security, requestBody, responses } = operation;
  const parameters = (operation.parameters ?? []).filter((parameter) => "name" in parameter);
  const content = requestBody && "content" in requestBody ? requestBody.content["application/json"] : undefined;
  const [example] = Object.values(content?.examples ?? {});
  const sent = parameters.filter((one) => one.in === "path" || (one.in === "query" && one.required && !content));
  const answer = responses?.["200"];
  return {
    operationId,
    method,
    template,
    parameters: sent.map((one) => ({ name: one.name, in: one.in, value: exampleOf(one) })),
    ...(example && "value" in example && { body: example.value }),
    hasKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    isPublic: security?.length === 0,
    isText: !(answer && "content" in answer && answer.content && "application/json" in answer.content),
  };
}

function exampleOf({ schema = {} }: oas31.ParameterObject): unknown {
  const [example = 1] = "examples" in schema ? (schema.examples ?? []) : [];
  return example;
}

/** The call as a program makes it. A user group token comes from the environment. */
export function requestOfExample(call: ExampleCall, baseUrl: string): ProgramRequest {
  const { operationId, method, template, parameters, body, hasKey, isPublic, isText } = call;
  const named = (place: string) => parameters.filter((one) => one.in === place);
  const path = named("path").reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    template,
  );
  const search = new URLSearchParams(named("query").map(({ name, value }) => [name, String(value)])).toString();
  const url = `${encodeBase(baseUrl)}${path}${search && `?${search}`}`;
  return {
    name: classNameOf(operationId),
    method,
    url,
    hasKey,
    isPublic,
    isText,
    ...(body !== undefined && { body: withCurrentToken(body as Value) }),
  };
}

function withCurrentToken(value: Value): Value {
  if (typeof value === "string" && value.endsWith("ugt_…")) return CURRENT_TOKEN;
  if (Array.isArray(value)) return value.map(withCurrentToken);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withCurrentToken(one)]));
}

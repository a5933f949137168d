import type { oas31 } from "zod-openapi";
import document from "@/docs/openapi.json" with { type: "json" };
import type { DescribedOperation } from "@/lib/openapi/for-generators";
import type { Limit } from "@/lib/openapi/limit";

/** The API's description, as committed and served. */
export const reference = document as unknown as oas31.OpenAPIObject & { "x-limits": Limit[] };

/** A call with its path and method. */
export interface DescribedCall {
  method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  path: string;
  operation: DescribedOperation;
}

/** The calls with a tag, in the description's order. */
export function callsOf(tag: string): DescribedCall[] {
  return Object.entries(reference.paths ?? {})
    .flatMap(([path, { get, put, patch, post, delete: remove }]) => [
      { method: "GET" as const, path, operation: get },
      { method: "PUT" as const, path, operation: put },
      { method: "PATCH" as const, path, operation: patch },
      { method: "POST" as const, path, operation: post },
      { method: "DELETE" as const, path, operation: remove },
    ])
    .filter((call): call is DescribedCall => call.operation?.tags?.includes(tag) === true);
}

/** A call's body; that of a GET is described outside of OpenAPI's own fields (lib/openapi/for-generators.ts). */
export function bodyOf(operation: DescribedOperation): oas31.RequestBodyObject | undefined {
  const { requestBody = operation["x-request-body"] } = operation;
  return requestBody && follow<oas31.RequestBodyObject>(requestBody);
}

/** Resolves a reference; returns anything else as is. */
export function follow<T extends object>(thing: T | oas31.ReferenceObject): T {
  if (!("$ref" in thing) || typeof thing.$ref !== "string") return thing as T;
  const steps = thing.$ref.slice(2).split("/");
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], reference) as T;
}

/** A call's errors that the first of all calls does not have. */
export function ownFailures({ responses = {} }: oas31.OperationObject): { status: string; description: string }[] {
  const common = reference.paths?.["/api/user"]?.get?.responses ?? {};
  return Object.entries(responses)
    .filter(([status]) => !(status in common))
    .map(([status, response]) => ({ status, description: follow<oas31.ResponseObject>(response).description }));
}

/** The example of a schema. */
export function exampleOf(schema: string): unknown {
  const { examples = [] } = follow<oas31.SchemaObject>({ $ref: `#/components/schemas/${schema}` });
  return examples[0];
}

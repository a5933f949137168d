import type { oas31 } from "zod-openapi";
import document from "@/docs/openapi.json" with { type: "json" };
import { callsIn, type DescribedCall, type DescribedOperation, followIn } from "@/lib/openapi/calls";
import type { Limit } from "@/lib/openapi/limit";

export type { DescribedCall } from "@/lib/openapi/calls";

/** The API's description, as committed and served. */
export const reference = document as unknown as oas31.OpenAPIObject & { "x-limits": Limit[] };

/** The calls with a tag, in the description's order. */
export function callsOf(tag: string): DescribedCall[] {
  return callsIn(reference).filter(({ operation }) => operation.tags?.includes(tag));
}

/** A call's body; a GET's is described outside OpenAPI's own fields (lib/openapi/for-generators.ts). */
export function bodyOf(operation: DescribedOperation): oas31.RequestBodyObject | undefined {
  const { requestBody = operation["x-request-body"] } = operation;
  return requestBody && follow<oas31.RequestBodyObject>(requestBody);
}

/** Resolves a reference of the description; returns anything else as is. */
export function follow<T extends object>(thing: T | oas31.ReferenceObject): T {
  return followIn(reference, thing);
}

/** A call's errors that GET /api/user does not have. */
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

/** The object schema that lists a field's members: its own, that of a variant, or that of a list's items. */
export function membersOf(field: oas31.SchemaObject): oas31.SchemaObject | undefined {
  if (field.properties || field.oneOf) return field;
  const inner = [...(field.anyOf ?? []), ...(field.items && typeof field.items === "object" ? [field.items] : [])];
  for (const one of inner) {
    const found = membersOf(follow<oas31.SchemaObject>(one));
    if (found) return found;
  }
  return undefined;
}

/** A field's type in words, such as `list of string or null`. */
export function typeOf({ type, anyOf, enum: values, const: value, items }: oas31.SchemaObject): string {
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.map((one) => JSON.stringify(one)).join(" or ");
  if (anyOf) return anyOf.map((one) => typeOf(follow<oas31.SchemaObject>(one))).join(" or ");
  if (items && typeof items === "object") return `list of ${typeOf(follow<oas31.SchemaObject>(items))}`;
  return [type].flat().join(" or ");
}

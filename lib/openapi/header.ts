import type { oas31, ZodOpenApiParameterObject } from "zod-openapi";

const text = (description: string, example: string, schema: oas31.SchemaObject = {}): oas31.HeaderObject => ({
  description,
  required: true,
  schema: { type: "string", ...schema, examples: [example] },
});

/** Headers of answers that concern callers. */
export const HEADERS = {
  "X-Request-Id": text(
    "Identifies the request in the service's log. Quote it in reports.",
    "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55",
    { format: "uuid" },
  ),
  ETag: text("The version of the group, for `If-Match`. A rotation changes it too.", '"3-1"'),
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    required: true,
    schema: { type: "integer", minimum: 1, examples: [1] },
  },
  "WWW-Authenticate": text("The scheme of the missing credential.", "Token"),
} satisfies Record<string, oas31.HeaderObject>;

/** References to headers. */
export function headers(...names: (keyof typeof HEADERS)[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The header with the version of something other than a group. */
export function etagHeader(example: string) {
  return {
    description: "The version, for `If-Match`.",
    required: true,
    schema: { type: "string", examples: [example] },
  } as const;
}

/** The parameter with an earlier answer's ETag. */
export function ifMatch(example: string): ZodOpenApiParameterObject {
  return {
    name: "If-Match",
    in: "header",
    description: "The `ETag` of an earlier answer: refused with 412 if there was a change since.",
    schema: { type: "string", examples: [example] },
  };
}

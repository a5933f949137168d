import type { oas31 } from "zod-openapi";

const text = (description: string, example: string, schema: oas31.SchemaObject = {}): oas31.HeaderObject => ({
  description,
  required: true,
  schema: { type: "string", ...schema, examples: [example] },
});

/** The headers of answers that a caller has to do with. */
export const HEADERS = {
  "X-Request-Id": text(
    "Names this request in the log of the service: quote it when something went wrong.",
    "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55",
    { format: "uuid" },
  ),
  ETag: text("The state of the group, for `If-Match`. A rotation changes it, too.", '"3-1"'),
  "Retry-After": {
    description: "In how many seconds to try again.",
    required: true,
    schema: { type: "integer", minimum: 1, examples: [1] },
  },
  "WWW-Authenticate": text("The scheme of the credential that is missing.", "Token"),
} satisfies Record<string, oas31.HeaderObject>;

/** References to headers. */
export function headers(...names: (keyof typeof HEADERS)[]): oas31.HeadersObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

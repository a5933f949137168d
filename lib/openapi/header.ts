import type { oas31 } from "zod-openapi";
import type { Condition } from "@/lib/endpoint/input";

const GROUP_ETAG = '"3-1"';

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
  ETag: text("The version of the group, for `If-Match`. A rotation changes it too.", GROUP_ETAG),
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

/** The header with a version: a group's, an optional one, or another resource's. */
export function etagHeader(etag: string | { description: string }): oas31.HeaderObject | oas31.ReferenceObject {
  if (etag === GROUP_ETAG) return { $ref: "#/components/headers/ETag" };
  if (typeof etag === "object") return { ...HEADERS.ETag, ...etag, required: false };
  return text("The version, for `If-Match`.", etag);
}

const parameter = (description: string, example: string, schema: oas31.SchemaObject = {}) => ({
  description,
  schema: { type: "string" as const, ...schema, examples: [example] },
});

/** The conditional headers as parameters. */
export const CONDITIONS = {
  "If-Match": parameter("The `ETag` of an earlier answer: refused with 412 if there was a change since.", GROUP_ETAG),
  "Idempotency-Key": parameter(
    "Makes the call safe to retry: for 24 h, the same key and body return the first answer again, and change " +
      "nothing. Keys are per API token.",
    "9f0c6b1e-rotate-example_1",
    { minLength: 1, maxLength: 255 },
  ),
} satisfies Record<Condition, object>;

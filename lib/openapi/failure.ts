import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { ERRORS, type ErrorCode } from "@/lib/errors";
import { type HEADERS, headers } from "@/lib/openapi/header";

const CODES = Object.keys(ERRORS) as ErrorCode[];

const errorCode = z.enum(CODES).meta({
  description: "What went wrong, for programs.",
  // The name by which readers of OpenAPI know such a table.
  "x-enumDescriptions": Object.fromEntries(CODES.map((code) => [code, `${ERRORS[code].status}: ${ERRORS[code].when}`])),
});

/** The body of every failure. */
export const failureAnswer = z
  .strictObject({
    success: z.literal(0),
    error: z.strictObject({
      code: errorCode,
      message: z.string().meta({ description: "What to do about it, for people: its words may change." }),
      request_id: z.uuid().meta({ description: "Also in `X-Request-Id`, and in the log of the service." }),
      issues: z
        .array(z.strictObject({ path: z.array(z.union([z.string(), z.int()])), message: z.string() }))
        .optional()
        .meta({ description: "With `invalid_fields` alone: each field that was refused, and why." }),
    }),
  })
  .meta({
    description: "Every failure has this shape. Nothing was changed, unless the status is 5xx: then it is not known.",
    examples: [
      {
        success: 0,
        error: {
          code: "invalid_fields",
          message: "Nothing was changed: user_group_id is required.",
          request_id: "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55",
          issues: [{ path: ["user_group_id"], message: "is required" }],
        },
      },
    ],
  });

/** What a call without a body can meet. */
export const BODILESS: ErrorCode[] = [
  ...(["unauthorized", "forbidden", "request_timeout", "rate_limited"] as const),
  ...(["headers_too_large", "internal", "unavailable"] as const),
];
/** What any call with a body can meet. */
const COMMON: ErrorCode[] = [
  ...BODILESS,
  ...(["invalid_json", "body_missing", "bad_request", "body_too_large", "unsupported_media_type"] as const),
  "invalid_fields",
];

/** Headers that come with a status beside those of every answer. */
const EXTRA: Partial<Record<number, (keyof typeof HEADERS)[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** One for all calls that can fail so: it becomes a component. */
const made = new Map<string, ZodOpenApiResponseObject>();

/** The failures of a call by status: its own, and those of every call. */
export function failures(own: ErrorCode[] = [], common = COMMON) {
  const codes = CODES.filter((code) => common.includes(code) || own.includes(code));
  const statuses = new Set(codes.map((code) => ERRORS[code].status));
  const responses: Record<`${4 | 5}${string}`, ZodOpenApiResponseObject> = {};
  for (const status of statuses) {
    responses[`${status}`] = failure(
      status,
      codes.filter((code) => ERRORS[code].status === status),
    );
  }
  return responses;
}

/** What a call is answered that is not this call at all: another method, another path. */
export const otherFailure: ZodOpenApiResponseObject = {
  id: "OtherFailure",
  description: "Any other failure, in the same shape.",
  headers: headers("X-Request-Id"),
  content: { "application/json": { schema: failureAnswer } },
};

function failure(status: number, codes: ErrorCode[]): ZodOpenApiResponseObject {
  const id = toPascalCase(codes.at(-1) ?? "");
  const response = made.get(id) ?? {
    id,
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}.`).join(" "),
    headers: headers("X-Request-Id", ...(EXTRA[status] ?? [])),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Failure" },
            { type: "object", properties: { error: { type: "object", properties: { code: { enum: codes } } } } },
          ],
        },
      },
    },
  };
  made.set(id, response);
  return response;
}

function toPascalCase(code: string): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

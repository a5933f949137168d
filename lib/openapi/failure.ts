import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import type { Callers } from "@/lib/endpoint/access";
import { ERRORS, type ErrorCode } from "@/lib/errors";
import { type HEADERS, headers } from "@/lib/openapi/header";
import { toPascalCase } from "@/lib/snippets/request";

const CODES = Object.keys(ERRORS) as ErrorCode[];

const errorCode = z.enum(CODES).meta({
  description: "The error code, for programs.",
  // OpenAPI tools know the table by this name.
  "x-enumDescriptions": Object.fromEntries(CODES.map((code) => [code, `${ERRORS[code].status}: ${ERRORS[code].when}`])),
});

/** The body of every error. */
export const failureAnswer = z
  .strictObject({
    success: z.literal(0),
    error: z.strictObject({
      code: errorCode,
      message: z.string().meta({ description: "The cause and the fix, for people. The wording may change." }),
      request_id: z.uuid().meta({ description: "Also in `X-Request-Id` and in the service's log." }),
      issues: z
        .array(z.strictObject({ path: z.array(z.union([z.string(), z.int()])), message: z.string() }))
        .optional()
        .meta({ description: "Only with `invalid_fields`: each refused field, and why." }),
    }),
  })
  .meta({
    description:
      "The shape of every error. A 4xx status means that nothing was changed; after a 5xx status this is unknown.",
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

const BODILESS: ErrorCode[] = ["request_timeout", "rate_limited", "headers_too_large", "internal", "unavailable"];
const OF_BODIES: ErrorCode[] = [
  "invalid_json",
  "body_missing",
  "bad_request",
  "body_too_large",
  "unsupported_media_type",
];

/** The errors that follow from a call's declaration: none for a call that anyone can make without input. */
export function commonErrors({ kind }: Callers, hasInput: boolean, hasBody: boolean): ErrorCode[] {
  if (kind === "anyone") return hasInput ? BODILESS : [];
  const ofInput: ErrorCode[] = hasInput ? ["invalid_fields"] : [];
  return [...BODILESS, "unauthorized", "forbidden", ...ofInput, ...(hasBody ? OF_BODIES : [])];
}

/** Additional headers by status. */
const EXTRA: Partial<Record<number, (keyof typeof HEADERS)[]>> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Responses by their errors: calls with the same errors share one, which becomes a component. */
const made = new Map<string, ZodOpenApiResponseObject>();

/** A call's errors by status. */
export function failures(all: ErrorCode[]): Record<string, ZodOpenApiResponseObject> {
  const codes = CODES.filter((code) => all.includes(code));
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))];
  const of = (status: number) => codes.filter((code) => ERRORS[code].status === status);
  return Object.fromEntries(statuses.map((status) => [status, failure(status, of(status))]));
}

/** The answer to an unknown path or method. */
export const otherFailure: ZodOpenApiResponseObject = {
  id: "OtherFailure",
  description: "Any other error, in the same shape.",
  headers: headers("X-Request-Id"),
  content: { "application/json": { schema: failureAnswer } },
};

function failure(status: number, codes: ErrorCode[]): ZodOpenApiResponseObject {
  const key = codes.join(" ");
  const response = made.get(key) ?? {
    id: codes.length === 2 || status === 409 ? codes.map(toPascalCase).join("Or") : toPascalCase(codes.at(-1) ?? ""),
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
  made.set(key, response);
  return response;
}

import type { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiParameterObject } from "zod-openapi";
import type { ErrorCode } from "@/lib/errors";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { etagHeader, headers, ifMatch } from "@/lib/openapi/header";
import { asQuery } from "@/lib/openapi/user-group";

interface Described {
  operationId: string;
  summary: string;
  description: string;
  /** its schema and an example */
  body?: [z.ZodType, object];
  query?: z.ZodObject;
  answered: string;
  answer: [z.ZodType, object];
  errors?: ErrorCode[];
  /** an example of the answer's ETag, which a change takes as If-Match */
  etag?: string;
}

/** An operation with one example of what it takes, and one of what it answers. */
export function operation(
  tag: { name: string },
  { operationId, summary, description, ...rest }: Described,
): ZodOpenApiOperationObject {
  const { body, query, answered, answer, errors = [], etag } = rest;
  const sent = headers("X-Request-Id");
  const content = ([schema, value]: [z.ZodType, object]) => ({
    "application/json": { schema, examples: { example: { value } } },
  });
  const parameters = [
    ...Object.entries(query?.shape ?? {}).map(([name, field]) => parameter(name, field)),
    ...(etag && body ? [ifMatch(etag)] : []),
  ];
  return {
    tags: [tag.name],
    ...{ operationId, summary, description },
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: content(body) } }),
    responses: {
      200: {
        description: answered,
        headers: etag ? { ...sent, ETag: etagHeader(etag) } : sent,
        content: content(answer),
      },
      ...(body ? failures(errors) : failures(["invalid_fields", ...errors], BODILESS)),
      default: otherFailure,
    },
  };
}

function parameter(name: string, field: z.ZodType): ZodOpenApiParameterObject {
  return { ...asQuery(name, field), ...(!field.safeParse(undefined).success && { required: true }) };
}

import { z } from "zod";
import {
  createSchema,
  type oas31,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiParameterObject,
} from "zod-openapi";
import type { Callers } from "@/lib/endpoint/access";
import type { Endpoint } from "@/lib/endpoint/endpoint";
import { JSON_MEMBERS } from "@/lib/endpoint/input";
import type { Examples, Operation } from "@/lib/endpoint/operation";
import { commonErrors, failures, otherFailure } from "@/lib/openapi/failure";
import { asJsonText, asNumber } from "@/lib/openapi/for-generators";
import { CONDITIONS, etagHeader, headers } from "@/lib/openapi/header";

/** A call's description, derived from its declaration; undefined for a call that is not public. */
export function operationOf(
  path: string,
  method: string,
  { callers, declared, conditions }: Endpoint,
  tag: string,
): ZodOpenApiOperationObject | undefined {
  const { input = declared.body, inQuery, parameters: said, answered, answer, etag } = declared;
  const { operationId, summary, description } = declared;
  if (!operationId || !summary || !answered) return undefined;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const shape = declared.input instanceof z.ZodObject ? declared.input.shape : {};
  const ofInput = Object.entries(shape).filter(([name]) => method === "GET" || inQuery?.includes(name));
  const ofQuery = declared.query ? Object.entries(declared.query.shape) : ofInput;
  const honoured = [...(conditions === "ignored" ? [] : conditions), ...Object.keys(said ?? {})];
  const { errors = [] } = declared;
  const parameters = [
    ...inPath.map((name) => parameter(name, "path", shape[name], said?.[name])),
    ...ofQuery
      .filter(([name]) => !inPath.includes(name))
      .map(([name, field]) => parameter(name, "query", field as z.ZodType, said?.[name])),
    ...conditionsOf(honoured, etag, said),
  ];
  const body = method === "GET" && !declared.bodyOnGet ? undefined : input && withoutNames(input, inPath);
  const isAnswered = callers.kind !== "anyone" || input !== undefined;
  return {
    tags: [tag],
    operationId,
    summary,
    description: `${description}${scopesOf(callers)}`,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !declared.bodyNote,
        content: json(body, declared.requestExamples ?? { example: { value: declared.requestExample } }),
        ...(declared.bodyNote && { description: declared.bodyNote }),
      },
    }),
    responses: {
      200: {
        description: answered,
        headers: { ...headers("X-Request-Id"), ...(etag && { ETag: etagHeader(etag) }) },
        content: {
          ...(answer && json(answer, declared.answerExamples ?? { example: { value: declared.answerExample } })),
          ...textsOf(declared.textExamples),
        },
      },
      ...failures([
        ...commonErrors(callers, input !== undefined, body !== undefined),
        ...(inPath.length > 0 ? (["not_found"] as const) : []),
        ...(honoured.includes("Idempotency-Key") ? (["idempotency_conflict"] as const) : []),
        ...(honoured.includes("If-Match") ? (["stale"] as const) : []),
        ...(errors.includes("unknown_user_group") && "user_group_id" in shape ? (["renamed"] as const) : []),
        ...errors,
      ]),
      ...(isAnswered && { default: otherFailure }),
    },
    security: callers.kind === "scoped" ? [{ ApiToken: [...callers.scopes] }] : [],
  };
}

function json(schema: z.ZodType, examples: Examples): ZodOpenApiContentObject {
  return { "application/json": { schema, examples } };
}

function textsOf(texts: Partial<Operation>["textExamples"] = {}): ZodOpenApiContentObject {
  return Object.fromEntries(
    Object.entries(texts).map(([type, examples]) => [
      type,
      { schema: { type: "string" }, ...(Object.keys(examples).length > 0 && { examples }) },
    ]),
  );
}

/** The body: the input without the parameters of the path. */
function withoutNames(input: z.ZodType, names: string[]): z.ZodType {
  if (!(input instanceof z.ZodObject) || names.length === 0) return input;
  return z.strictObject(Object.fromEntries(Object.entries(input.shape).filter(([name]) => !names.includes(name))));
}

/** The conditional headers of a call as parameters. */
function conditionsOf(
  honoured: string[],
  etag: Operation["etag"] | undefined,
  said: Operation["parameters"] = {},
): ZodOpenApiParameterObject[] {
  return Object.entries(CONDITIONS)
    .filter(([name]) => honoured.includes(name))
    .map(([name, condition]) => ({
      name,
      in: "header",
      ...condition,
      ...(name === "If-Match" && typeof etag === "string" && { schema: { type: "string", examples: [etag] } }),
      ...said[name],
    })) as ZodOpenApiParameterObject[];
}

/** A field as a parameter. */
function parameter(
  name: string,
  place: "path" | "query",
  field: z.ZodType | undefined,
  said: { description?: string; schema?: object } = {},
): ZodOpenApiParameterObject {
  const { description = undefined, ...schema } = field
    ? (createSchema(field, { io: "input" }).schema as oas31.SchemaObject)
    : {};
  const about = said.description ?? description;
  const isRequired = place === "path" || field?.safeParse(undefined).success === false;
  return {
    name,
    in: place,
    ...(about && { description: about }),
    ...(isRequired && { required: true as const }),
    schema: (said.schema as oas31.SchemaObject) ?? (JSON_MEMBERS.has(name) ? asJsonText(schema) : asNumber(schema)),
  };
}

/** The scopes as text for people; tools read them from the call's security. */
function scopesOf(callers: Callers): string {
  if (callers.kind !== "scoped") return "";
  const { scopes, sometimes } = callers;
  const always = scopes.map((scope) => `\`${scope}\``).join(", ");
  const parts = [...(always ? [always] : []), ...sometimes.map(({ scope, when }) => `\`${scope}\` ${when}`)];
  return `\n\nScopes: ${parts.length > 0 ? parts.join("; ") : "none; any API token will do"}.`;
}

import { z } from "zod";
import type { Call } from "@/lib/endpoint/call";
import { AppError, type FieldIssue, invalidFields } from "@/lib/errors";
import { checkFields, knownFields } from "@/lib/json/fields";
import { JsonError, parseMembers, parseValue, stringFault } from "@/lib/json/json";
import { isObject, type ShallowJson } from "@/lib/json/raw-json";

/** Members that are JSON in the query form too. */
export const JSON_MEMBERS = new Set(["mapping", "properties"]);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The accepted form of a request's input. */
interface Form<Schema extends z.ZodType> {
  schema: Schema;
  bodyOnGet: boolean;
  /** the members that a query may hold; undefined for all of them on GET, and none on other methods */
  inQuery?: readonly string[] | undefined;
  /** the members that can be repeated in a query: {@link listsOf} the schema; none by default */
  lists?: ReadonlySet<string>;
  /** the media types that a body may have; {@link JSON_TYPE} alone by default */
  mediaTypes?: readonly string[] | undefined;
}

const JSON_TYPE = "application/json";

/**
 * Reads a request's input: its path parameters together with the members of its body or of its query.
 * @throws {AppError} `invalid_json`, `body_missing`, `unsupported_media_type` or `invalid_fields`
 */
export function readInput<Schema extends z.ZodType>(call: Call, body: Uint8Array, form: Form<Schema>): z.infer<Schema> {
  const { method, query, parameters } = call;
  const { schema, bodyOnGet, mediaTypes } = form;
  const isNamed = Object.keys(parameters).length > 0;
  if (body.length > 0) checkMediaType(call, mediaTypes);
  else if (query === undefined && !isNamed && (bodyOnGet || method !== "GET")) throw bodyMissing(call);
  const members = body.length > 0 ? fromBody(call, body) : query === undefined ? {} : fromQuery(call, form);
  if (!isNamed) return requireFields(members, schema);
  const twice = Object.keys(parameters).filter((name) => Object.hasOwn(members, name));
  if (twice.length > 0) throw invalidFields(twice.map((name) => ({ path: [name], message: "is in the path already" })));
  return requireFields({ ...members, ...parameters }, schema);
}

/** @throws {AppError} `invalid_fields` */
export function requireFields<Schema extends z.ZodType>(members: object, schema: Schema): z.infer<Schema> {
  const { value, issues } = checkFields(members, schema);
  if (issues) throw invalidFields(issues);
  return value;
}

function fromBody(call: Call, body: Uint8Array) {
  if (call.query !== undefined) {
    throw invalidFields([{ path: [], message: "the request has both a body and a query: send only one" }]);
  }
  const members = readJson(() => parseMembers(decodeBody(body)), "The body");
  if (isObject(members)) return members;
  throw invalidFields([{ path: [], message: "the body must be a JSON object" }]);
}

/** The members that a schema declares as lists: as query parameters they can be repeated. */
export function listsOf(schema: z.ZodType): ReadonlySet<string> {
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape as Record<string, z.ZodType>) : [];
  return new Set(shape.filter(([, field]) => isList(field)).map(([name]) => name));
}

function isList(field: unknown): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) return isList(field.def.innerType);
  return field instanceof z.ZodArray;
}

function fromQuery(
  { method, query = "" }: Call,
  { schema, inQuery, lists }: Pick<Form<z.ZodType>, "schema" | "inQuery" | "lists">,
): Record<string, ShallowJson | string[]> {
  if (method !== "GET" && !inQuery) {
    throw invalidFields([{ path: [], message: `${method} takes a JSON body, not a query` }]);
  }
  const members: Record<string, ShallowJson | string[]> = Object.create(null);
  for (const pair of query.split("&")) {
    const [name = "", value = ""] = pair.split(/=(.*)/s, 2).map(decodeQuery);
    if (pair.includes("%00") || /\0/.test(pair)) {
      throw invalidFields([{ path: [name.replaceAll("\0", "")], message: "must not contain NUL" }]);
    }
    // Can only be a noncharacter: after decoding there is no NUL and no surrogate.
    const fault = stringFault(name) ?? stringFault(value);
    if (fault) throw new AppError("invalid_json", `Invalid query: ${fault}.`);
    const earlier = members[name];
    if (lists?.has(name)) {
      members[name] = Array.isArray(earlier) ? [...earlier, value] : [value];
      continue;
    }
    const [, list] = /^(\w+)\[\d*\]$/.exec(name) ?? [];
    if (list !== undefined && lists?.has(list)) {
      const message = `must be sent without brackets, once for each value: ${list}=…&${list}=…`;
      throw invalidFields([{ path: [name.slice(0, 100)], message }]);
    }
    if (earlier !== undefined && knownFields(schema).includes(name)) {
      throw invalidFields([{ path: [name], message: "appears more than once in the query" }]);
    }
    if (inQuery && !inQuery.includes(name)) {
      const message = `must not be in the query, which holds only ${inQuery.join(", ")}: send it in a JSON body`;
      throw invalidFields([{ path: [name.slice(0, 100)], message }]);
    }
    members[name] = JSON_MEMBERS.has(name) ? readJson(() => parseValue(value), `The query's ${name}`) : value;
  }
  return members;
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalidFields([{ path: [], message: "the query is not percent-encoded UTF-8" }]);
  }
}

/** @throws {AppError} `invalid_json` when the body is not UTF-8 */
export function decodeBody(body: Uint8Array, what = "The body"): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new AppError("invalid_json", `${what} is not UTF-8.`);
  }
}

/** @throws {AppError} `invalid_json` for a {@link JsonError} */
export function readJson<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonError)
      throw new AppError("invalid_json", `${what} is not valid I-JSON: ${error.message}.`);
    throw error;
  }
}

/** The error for a missing body, with the likely cause and the fix. */
export function bodyMissing({ method }: Pick<Call, "method">): AppError {
  const message =
    method === "GET"
      ? "The request has no body. A client or proxy may have dropped the GET body. " +
        "Send the same as POST /api/user/get-or-create, or as a query: GET /api/user?user_group_id=…&name=…"
      : "The request has no body. Send a JSON object.";
  return new AppError("body_missing", message);
}

/** @throws {AppError} `unsupported_media_type` unless the body is JSON */
export function checkMediaType({ headers }: Call, mediaTypes: readonly string[] = [JSON_TYPE]) {
  if (headers["content-encoding"] !== undefined) {
    throw new AppError("unsupported_media_type", "Send the body without Content-Encoding.");
  }
  if (headers["content-type"] === JSON_TYPE) return;
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((text) => text.startsWith("charset"));
  if (!mediaTypes.includes(type.trim()) || (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))) {
    throw new AppError(
      "unsupported_media_type",
      "Send the body with the header `Content-Type: application/json`, in UTF-8.",
    );
  }
}

/** A header that makes a change conditional. */
export type Condition = keyof typeof WORKS_ON;

const WORKS_ON = {
  "Idempotency-Key": "POST /api/user, /api/user-groups/rotate, /api/user-groups/batch and /api/jobs",
  "If-Match":
    "PUT, PATCH and DELETE /api/user, POST /api/user-groups/suspend, resume and rotate, and PUT /api/definitions " +
    "and /api/settings",
} as const;

/**
 * Refuses conditions that a call does not honour, because the caller relies on them.
 * @throws {AppError} `invalid_fields`
 */
export function refuseConditions({ headers }: Call, honoured: readonly Condition[]) {
  const issues = (Object.keys(WORKS_ON) as Condition[]).flatMap((name): FieldIssue[] => {
    if (honoured.includes(name) || headers[name.toLowerCase()] === undefined) return [];
    return [{ path: [name], message: `has no effect on this call: it works on ${WORKS_ON[name]}` }];
  });
  if (issues.length > 0) throw invalidFields(issues);
}

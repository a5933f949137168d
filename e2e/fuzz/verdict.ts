import assert from "node:assert/strict";
import { readInput } from "@/lib/endpoint/input";
import { AppError } from "@/lib/errors";
import { type GroupRequest, groupRequest, type TokenRotation, tokenRotation } from "@/lib/groups/schema";
import type { GeneratedRequest } from "./requests";
import { compact, faultOf, isId, isName, membersOf } from "./rules";

/** A request's content, read without the service's code: `mapping` and `properties` are compact JSON text. */
export interface Wanted {
  user_group_id?: string | undefined;
  name?: string | undefined;
  mapping?: string | undefined;
  properties?: string | null | undefined;
  current_token?: string | undefined;
  overlap_seconds?: number | undefined;
}

/** The outcome of a request from a known sender. */
export type Verdict = { accepted: true; wanted: Wanted } | { accepted: false; status: number; code: string };

/** Codes of refusals before the group is looked up. */
const REFUSALS = { invalid_json: 400, body_missing: 400, unsupported_media_type: 415, invalid_fields: 422 };

/**
 * Parses the request with the service's own parser, and checks the verdict against the contract.
 * @throws {assert.AssertionError} and anything but a refusal from the parser
 */
export function judge(request: GeneratedRequest): Verdict {
  const read = parse(request);
  if (read instanceof AppError) {
    checkRefusal(read);
    assert.notEqual(request.kind, "sound", read.message);
    if (request.kind === "wrong") assert.equal(read.code, "invalid_fields");
    return { accepted: false, status: read.status, code: read.code };
  }
  assert.ok(request.kind === "sound" || request.kind === "mutated", `${request.kind}, and accepted`);
  const wanted = request.body === "" ? readQuery(request.query ?? "") : readBody(request.body);
  assert.deepEqual(asRead(read), wanted);
  return { accepted: true, wanted };
}

function parse({ method, path, query, body, contentType }: GeneratedRequest): GroupRequest | TokenRotation | AppError {
  const headers = contentType === undefined ? {} : { "content-type": contentType };
  const bytes = Buffer.from(body, "latin1");
  const readBody = async () => bytes;
  const address = () => "127.0.0.1";
  const target = { method, path, query: query || undefined, parameters: {} };
  const call = { requestId: "fuzz", ...target, headers, readBody, address };
  const isRotation = method === "POST" && path === "/api/user";
  try {
    if (isRotation) return readInput(call, bytes, { schema: tokenRotation, bodyOnGet: true });
    return readInput(call, bytes, { schema: groupRequest, bodyOnGet: true });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function checkRefusal({ code, status, message, issues }: AppError) {
  assert.equal(REFUSALS[code as keyof typeof REFUSALS], status, code);
  assert.ok(message !== "" && message.length < 20_000, "its message has a length that can be read");
  const said = JSON.stringify({ message, issues });
  assert.equal(issues !== undefined && issues.length > 0, code === "invalid_fields", said);
}

/** The members returned by the parser, with custom types removed. */
function asRead(read: GroupRequest | TokenRotation): Wanted {
  const entries = Object.entries(read).map(([name, value]) => [
    name,
    typeof value === "object" && value !== null ? value.text : value,
  ]);
  return Object.fromEntries(entries);
}

function readBody(body: string): Wanted {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(body, "latin1"));
  assert.equal(faultOf(text), undefined);
  const wanted = [...membersOf(text)].map(([name, value]) => {
    if (name !== "mapping" && name !== "properties") return [name, JSON.parse(value)];
    return [name, name === "properties" && value === "null" ? null : value];
  });
  return checkFields(Object.fromEntries(wanted));
}

function readQuery(query: string): Wanted {
  const parameters = [...new URLSearchParams(query)];
  assert.equal(new Set(parameters.map(([name]) => name)).size, parameters.length, "a name stands twice");
  const wanted = parameters.map(([name, value]) => {
    if (name !== "mapping" && name !== "properties") return [name, value];
    assert.equal(faultOf(value), undefined);
    const text = compact(value);
    return [name, name === "properties" && text === "null" ? null : text];
  });
  return checkFields(Object.fromEntries(wanted));
}

/** Checks that these may be accepted. */
function checkFields(wanted: Wanted): Wanted {
  if ("current_token" in wanted) {
    const { current_token, overlap_seconds = 0, ...rest } = wanted;
    assert.deepEqual(rest, {});
    assert.ok(typeof current_token === "string" && current_token !== "");
    assert.ok(Number.isInteger(overlap_seconds) && overlap_seconds >= 0 && overlap_seconds <= 604_800, "the overlap");
    return wanted;
  }
  const { user_group_id, name, mapping, properties, ...rest } = wanted;
  assert.deepEqual(rest, {});
  assert.ok(typeof user_group_id === "string" && isId(user_group_id), "the id");
  assert.ok(name === undefined || (typeof name === "string" && isName(name)), "the name");
  for (const object of [mapping, properties]) {
    assert.ok(
      typeof object !== "string" || (object.startsWith("{") && Buffer.byteLength(object) <= 65_536),
      "an object",
    );
  }
  return wanted;
}

import type { z } from "zod";
import { type Caller, countedAs, requireWrite } from "@/lib/auth/api-token-caller";
import { countedAddress } from "@/lib/auth/client-address";
import { spend } from "@/lib/db/limits";
import { isDatabaseAway } from "@/lib/db/pool";
import type { Answer, Call, WholeAnswer } from "@/lib/endpoint/call";
import { identify, readCredential } from "@/lib/endpoint/credential";
import { readInput } from "@/lib/endpoint/input";
import { AppError, unavailable } from "@/lib/errors";
import { writeJson } from "@/lib/json/raw-json";
import type { GroupRow } from "@/lib/store/statements";
import { log } from "@/lib/telemetry/log";

/** How long a request may work once it has been read, in milliseconds; clients are promised an answer within 2 s. */
const DEADLINE_MS = 1_800;
/** Bytes of a body that cost less to parse than to ask first whose they are. */
const LARGE_BODY = 16_384;

interface RouteOptions<Schema extends z.ZodType> {
  body: Schema;
  access: Caller["access"];
  handle(request: {
    caller: Caller;
    body: z.infer<Schema>;
    /** the group the body names, if there is one */
    group: GroupRow | undefined;
    headers: Call["headers"];
  }): Promise<{ body: object; etag?: string }>;
}

/** What answers a method of a route. */
export type Route = (call: Call) => Promise<Answer>;

/**
 * Declares a method of a route: who may call it, what it takes, what it does.
 * The body is taken in first, so that every 401 comes in the same way; but who asks is answered for before what is
 * asked, and what takes long to parse is parsed only for those we know.
 */
export function route<Schema extends z.ZodType>({ body: schema, access, handle }: RouteOptions<Schema>): Route {
  return handler(async (call) => {
    const bytes = await outcome(call.readBody());
    return within(async () => {
      spend("requests", countedAddress(call));
      const token = readCredential(call);
      if ("value" in bytes && bytes.value.length > LARGE_BODY) await identify(call, token, undefined);
      const input = "value" in bytes ? attempt(() => readInput(call, bytes.value, schema)) : bytes;
      const { caller, group } = await identify(call, token, "value" in input ? input.value : undefined);
      spend("requests", countedAs(caller));
      call.environment = caller.environment.slug;
      if (access === "write") requireWrite(caller);
      if ("error" in input) throw input.error;
      const { body, etag } = await handle({ caller, body: input.value, group, headers: call.headers });
      return { status: 200, headers: etag ? { ETag: etag } : {}, body: `${writeJson(body)}\n` };
    });
  });
}

/** Makes every failure an answer of our shape. */
export function handler(run: Route): Route {
  return async (call) => {
    try {
      return await run(call);
    } catch (error) {
      return answerError(error, call.requestId);
    }
  };
}

/** The answer to a failure: what an {@link AppError} says, and nothing at all of any other error but its request id. */
export function answerError(error: unknown, requestId: string): WholeAnswer {
  const known = asAppError(error);
  if (known.code === "internal") log().error({ id: requestId, err: error }, "request failed");
  else if (known.code === "unavailable") log().warn({ id: requestId, reason: reasonOf(known) }, "unavailable");
  const { code, message, issues, isBadCredential } = known;
  const body = `${writeJson({ success: 0, error: { code, message, request_id: requestId, issues } })}\n`;
  return { status: known.status, headers: known.headers, body, isBadCredential };
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error)) return unavailable(error);
  return new AppError("internal", "Something went wrong on our side. Quote the request id when you report it.");
}

/**
 * Does the work within the time that a request has.
 * @throws {AppError} `unavailable` when that is over
 */
export function within<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable("the deadline of the request passed")), DEADLINE_MS);
    work().then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** No stack: these come by the thousand when the database is away. */
function reasonOf({ cause }: AppError): unknown {
  return cause instanceof Error ? cause.message : cause;
}

type Outcome<T> = { value: T } | { error: unknown };

/** Keeps a failure for later: it may only be told to somebody we know. */
export function outcome<T>(work: Promise<T>): Promise<Outcome<T>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

function attempt<T>(work: () => T): Outcome<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

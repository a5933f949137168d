import { z } from "zod";
import type { Access, Callers } from "@/lib/endpoint/access";
import { type Answer, answerError, type Call } from "@/lib/endpoint/call";
import { countGuess, refuseGuesses } from "@/lib/endpoint/credential";
import { type Condition, listsOf, readInput, refuseConditions } from "@/lib/endpoint/input";
import { type NextHandler, nextHandler } from "@/lib/endpoint/next-handler";
import type { Operation } from "@/lib/endpoint/operation";
import { AppError, ERRORS, unavailable } from "@/lib/errors";
import type { GroupKey } from "@/lib/store/group-row";

/** Time to answer a request once it has been read, in milliseconds: clients are promised an answer within 2 s. */
const DEADLINE_MS = 1_800;
/** Up to this size in bytes, parsing a body costs less than finding its sender. */
const LARGE_BODY = 16_384;

/** The handler of one method of a route: callable by Next, and without HTTP objects by our front door. */
export interface Endpoint extends NextHandler {
  answer(call: Call): Promise<Answer>;
  callers: Callers;
  /** the largest accepted body in bytes; undefined for {@link MAX_BODY_BYTES} */
  maxBody: number | undefined;
  conditions: Conditions;
  /** whether HEAD is answered as this GET, without its body */
  hasHead: boolean;
  declared: Declared;
}

/** The input of a call without parameters: any member is refused. */
export const noInput = z.strictObject({});

/** The conditional headers that a change honours. It refuses the others; the calls of /api/user ignore them. */
type Conditions = readonly Condition[] | "ignored";

/** A public call's description, and its input. */
type Declared = Partial<Operation> & { input?: z.ZodType; inQuery?: readonly string[]; bodyOnGet?: boolean };

interface Declaration<Who extends object> extends Partial<Operation> {
  access: Access<Who>;
  /** false when aborting would not undo the work; its queries have their own timeouts */
  hasDeadline?: boolean;
  /** false for a GET that changes or records something, or streams: HEAD is refused */
  hasHead?: boolean;
  /** none by default */
  conditions?: Conditions;
}

interface WithInput<Who extends object, Schema extends z.ZodType> extends Declaration<Who> {
  /** path parameters together with the members of the body or of the query */
  input: Schema;
  /** whether a GET should have a body: without body and query, it was lost in transit */
  bodyOnGet?: boolean;
  /** the members that may come as a query instead of a body, on a method other than GET */
  inQuery?: readonly string[];
  /** the media types that a body may have; JSON alone by default */
  mediaTypes?: readonly string[];
  /** keys of the request's group, for authorised callers: the first group that exists counts */
  group?(input: z.infer<Schema>): GroupKey[];
  /**
   * whether to look up an API token that this process remembers only if the call is refused: the statement that makes
   * the change compares `remembered` with the token's row
   */
  mayRecall?: boolean;
  handle(request: { call: Call; input: z.infer<Schema> } & Who): Answer | Promise<Answer>;
}

/** An endpoint with a large body, which is read only for authorised callers, a few at a time. */
interface WithLargeBody<Who extends object, Input> extends Declaration<Who> {
  /** its size in bytes */
  maxBody: number;
  /** enters the call, and returns the function to run at its end */
  enter(who: Who): () => void;
  /** parses the body without blocking other requests */
  read(call: Call, body: Uint8Array): Promise<Input>;
  handle(request: { call: Call; input: Input } & Who): Answer | Promise<Answer>;
}

/** An endpoint without input. */
interface WithoutInput<Who extends object> extends Declaration<Who> {
  handle(request: { call: Call } & Who): Answer | Promise<Answer>;
}

/**
 * Declares one method of a route: its callers, its input and its work. Every request takes the same steps: read the
 * body, count the address, parse, authenticate the caller, count the caller, authorize, report invalid input, run
 * `handle`. Where no group is looked up with the caller, or the body is large, parsing comes after authentication.
 */
export function endpoint<Who extends object, Schema extends z.ZodType>(declaration: WithInput<Who, Schema>): Endpoint;
export function endpoint<Who extends object, Input>(declaration: WithLargeBody<Who, Input>): Endpoint;
export function endpoint<Who extends object>(declaration: WithoutInput<Who>): Endpoint;
export function endpoint<Who extends object, Schema extends z.ZodType, Input>(
  declaration: WithInput<Who, Schema> | WithLargeBody<Who, Input> | WithoutInput<Who>,
): Endpoint {
  const { access, hasDeadline = true, hasHead = true } = declaration;
  const large = "maxBody" in declaration ? withLargeBody(declaration) : undefined;
  const work = "input" in declaration ? withInput(declaration) : withoutInput(declaration as WithoutInput<Who>);
  const respond = catching(async (call) => {
    refuseGuesses(call);
    if (large) return large(call);
    // Read before the caller is known, so that every 401 behaves alike.
    const body = "input" in declaration ? await outcome(call.readBody()) : NO_BODY;
    return hasDeadline ? withinDeadline(() => work(call, body)) : work(call, body);
  });
  const answer = catching(async (call) => {
    const answered = await respond(call);
    countGuess(call, answered);
    return answered;
  });
  const maxBody = "maxBody" in declaration ? declaration.maxBody : undefined;
  const { conditions = [] } = declaration;
  const handler = nextHandler(answer, { maxBody, hasHead });
  return Object.assign(handler, {
    answer,
    callers: access.callers,
    maxBody,
    conditions,
    hasHead,
    declared: declaration,
  });
}

/** The same endpoint for another path, with a different description. */
export function described(endpoint: Endpoint, change: Partial<Operation>): Endpoint {
  const handler: NextHandler = (request, context) => endpoint(request, context);
  return Object.assign(handler, endpoint, { declared: { ...endpoint.declared, ...change } });
}

type Outcome<T> = { value: T } | { error: unknown };
type Work = (call: Call, body: Outcome<Uint8Array>) => Promise<Answer>;

const NO_BODY: Outcome<Uint8Array> = { value: new Uint8Array() };

function withoutInput<Who extends object>({ access, handle }: WithoutInput<Who>): Work {
  return async (call) => {
    const who = await access.admit(call)([]);
    access.permit?.(who, call);
    return handle({ call, ...who });
  };
}

/** Bodies of strangers, and of callers with too many such calls, are not read, so that they take no memory. */
function withLargeBody<Who extends object, Input>(declaration: WithLargeBody<Who, Input>) {
  const { access, conditions, enter, read, handle, hasDeadline = true } = declaration;
  return async (call: Call): Promise<Answer> => {
    const who = await withinDeadline(() => access.admit(call)([]));
    access.permit?.(who, call);
    refuseOtherConditions(call, conditions);
    const leave = enter(who);
    try {
      // Parsing is outside the time limit, which it could use up.
      const input = await read(call, await call.readBody());
      const work = async () => handle({ call, input, ...who });
      return await (hasDeadline ? withinDeadline(work) : work());
    } finally {
      leave();
    }
  };
}

/** Authentication is reported before invalid input, and large bodies are parsed only for known callers. */
function withInput<Who extends object, Schema extends z.ZodType>(declaration: WithInput<Who, Schema>): Work {
  const { access, conditions, input: schema, bodyOnGet = false, inQuery, mediaTypes } = declaration;
  const { group, mayRecall, handle } = declaration;
  const form = { schema, bodyOnGet, inQuery, lists: listsOf(schema), mediaTypes };
  return async (call, body) => {
    const identify = access.admit(call);
    const isLarge = "value" in body && body.value.length > LARGE_BODY;
    const known = group === undefined || isLarge ? await identify([], mayRecall) : undefined;
    const input = "value" in body ? attempt(() => readInput(call, body.value, form)) : body;
    const who =
      known && group === undefined ? known : await identify("value" in input && group ? group(input.value) : []);
    const isRemembered = access.isRemembered?.(who) ?? false;
    try {
      access.permit?.(who, call);
      refuseOtherConditions(call, conditions);
      if ("error" in input) throw input.error;
    } catch (error) {
      // A token that has ended since it was remembered gets 401 rather than another error.
      if (isRemembered) await identify([]);
      throw error;
    }
    const { value } = input;
    const run = async (caller: Who) => handle({ call, input: value, ...caller });
    if (!isRemembered) return run(who);
    return run(who).catch(async (error: unknown) => {
      if (isRefusal(error)) return run(await identify([]));
      throw error;
    });
  };
}

function refuseOtherConditions(call: Call, honoured: Conditions = []) {
  if (call.method !== "GET" && honoured !== "ignored") refuseConditions(call, honoured);
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && ERRORS[error.code].status < 500;
}

/** Turns every failure into our error shape. */
function catching(run: (call: Call) => Promise<Answer>): (call: Call) => Promise<Answer> {
  return async (call) => {
    try {
      return await run(call);
    } catch (error) {
      return answerError(error, call.requestId);
    }
  };
}

/**
 * Does the work within a request's time limit.
 * @throws {AppError} `unavailable` on timeout
 */
function withinDeadline<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(unavailable("the deadline of the request passed"));
    // One turn later, so that results that arrived while this process was blocked are read first.
    const timer = setTimeout(() => setImmediate(refuse), DEADLINE_MS);
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

/** Defers a failure, which only a known caller may see. */
function outcome<T>(work: Promise<T>): Promise<Outcome<T>> {
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

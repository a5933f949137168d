import { type Answer, ask, inShort } from "@/lib/doctor/ask";
import { doubtful, type Finding, good, wrong } from "@/lib/doctor/finding";

const DAY_MS = 86_400_000;
/** A certificate that ends sooner should have been renewed by now. */
const RENEWED_DAYS = 14;
/** How far the clocks may be apart, in seconds, before it is worth a look, and before it breaks something. */
const OFF = { doubtful: 5, wrong: 60 };

const WHAT_TO_DO_ABOUT: Record<string, string> = {
  ECONNREFUSED:
    "Start the service. If it ends at once, what it says on stderr tells why: a wrong SECRET_KEY, a variable, a migration that cannot run.",
  ENOTFOUND: "Correct the host name, or its DNS record.",
  CERT_HAS_EXPIRED: "Renew the certificate.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another name: correct the address, or the certificate.",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "Get a certificate from an authority, or name yours in NODE_EXTRA_CA_CERTS here and at each caller.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "Have the proxy send the whole chain of certificates, not its own alone.",
};

/** Whether the service is there, by which way, and ready; nothing else is worth asking where one of these is wrong. */
export async function reach(base: URL): Promise<Finding[]> {
  const answer = await ask(base, { path: "/healthz" });
  if (answer.problem) {
    const { code = "", message } = answer.problem;
    const todo = WHAT_TO_DO_ABOUT[code] ?? "Look whether it runs, and whether a firewall lets you through.";
    return [wrong("service", `nothing answers: ${message || code}.`, todo)];
  }
  if (answer.status >= 300 && answer.status < 400) return [redirected(answer)];
  if (answer.json?.status !== "ok") return [notTheService(answer)];
  return [good("service", "it answers."), encryption(base, answer), await database(base)];
}

function redirected({ status, headers }: Answer): Finding {
  const target = headers.location ?? "nowhere";
  return wrong(
    "redirect",
    `every call is redirected (${status}) to ${target}: on the way a client loses the method, the body or the Authorization.`,
    `Give callers the address it leads to, and run the doctor with it: ${target.replace(/\/healthz$/, "")}`,
  );
}

function notTheService(answer: Answer): Finding {
  const says = `something else answers: ${inShort(answer)}.`;
  if ([502, 503, 504].includes(answer.status)) {
    return wrong(
      "service",
      `a proxy answers in its place: ${inShort(answer)}.`,
      "The proxy does not reach the service: look whether it runs (what it says on stderr tells why it ended: a wrong SECRET_KEY is one reason), and whether HOST and PORT are what the proxy asks.",
    );
  }
  return wrong(
    "service",
    says,
    "Give the address at which /healthz is the service's, and let the proxy pass on every path.",
  );
}

function encryption({ protocol, hostname }: URL, { certifiedUntil }: Answer): Finding {
  if (certifiedUntil) {
    const days = Math.floor((certifiedUntil.getTime() - Date.now()) / DAY_MS);
    const says = `by TLS; the certificate is good for ${days} more days.`;
    return days < RENEWED_DAYS
      ? doubtful("encryption", says, "See why it has not been renewed.")
      : good("encryption", says);
  }
  if (protocol === "https:" || isLocal(hostname)) return good("encryption", "none is needed within one machine.");
  return doubtful(
    "encryption",
    "none: tokens and passwords can be read on the way.",
    "Let a proxy answer https, unless this is a private network. With PUBLIC_URL=https://… cookies are sent over nothing else.",
  );
}

function isLocal(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

async function database(base: URL): Promise<Finding> {
  const answer = await ask(base, { path: "/readyz" });
  if (answer.json?.status === "ready") return good("database", "it is reachable and migrated.");
  return wrong(
    "database",
    `the service lives but is not ready: ${inShort(answer)}. ${messageOf(answer)}`.trim(),
    "It cannot reach its database, is still migrating it, or is being stopped. Its log has the reason; look at DATABASE_URL, and whether PostgreSQL runs and takes connections.",
  );
}

/** Why it is not ready, in its own words. */
function messageOf({ json }: Answer): string {
  const message = (json?.error as { message?: unknown } | undefined)?.message;
  return typeof message === "string" ? message : "";
}

/** What can be seen without an API token: whether answers arrive as they were sent, and methods as they were meant. */
export async function askAnonymously(base: URL): Promise<Finding[]> {
  const refusal = await ask(base, { path: "/api/user?user_group_id=doctor" });
  const again = await ask(base, { path: "/api/user?user_group_id=doctor" });
  return [failures(refusal), requestIds(refusal), caching(refusal, again), await methods(base), clock(refusal)];
}

function failures(answer: Answer): Finding {
  // It refuses what came past its proxies before it asks for a token: that is found with one.
  const isRefused = answer.status === 401 ? answer.code === "unauthorized" : answer.code === "bad_request";
  if (isRefused) return good("failures", "they arrive as the service sends them.");
  return wrong(
    "failures",
    `a call without a token is answered ${inShort(answer)} in place of 401 unauthorized.`,
    "Let the proxy pass failures on as they are (nginx: proxy_intercept_errors off), ask for no password of its own, and serve /api/user by the service.",
  );
}

function requestIds({ headers, json }: Answer): Finding {
  const sent = (json?.error as { request_id?: unknown } | undefined)?.request_id;
  if (headers["x-request-id"] !== undefined && headers["x-request-id"] === sent) {
    return good("request ids", "X-Request-Id arrives.");
  }
  return doubtful(
    "request ids",
    headers["x-request-id"] === undefined
      ? "X-Request-Id is dropped from answers."
      : "X-Request-Id is replaced by another.",
    "Pass the service's on: it is what its log knows a request by.",
  );
}

function caching(first: Answer, second: Answer): Finding {
  const { "cache-control": control = "" } = first.headers;
  const id = (answer: Answer) => (answer.json?.error as { request_id?: unknown } | undefined)?.request_id;
  const ages = [first, second].map(({ headers }) => headers.age);
  const isOld = ages.some((age) => Number(age) > 0) || (id(first) !== undefined && id(first) === id(second));
  const todo =
    "Cache nothing below /api: a cached answer shows one caller's tokens to another, and tokens that have been rotated.";
  if (isOld) return wrong("caching", "answers come out of a cache.", todo);
  if (!control.includes("no-store")) {
    const says = `Cache-Control is ${control === "" ? "dropped" : `changed to "${control}"`}.`;
    return wrong("caching", says, `Pass no-store on. ${todo}`);
  }
  if (ages[0] !== undefined) return doubtful("caching", "a cache stands in the way, though it kept nothing.", todo);
  return good("caching", "no answer is kept on the way.");
}

async function methods(base: URL): Promise<Finding> {
  const [options, head] = [
    await ask(base, { method: "OPTIONS", path: "/api/user" }),
    await ask(base, { method: "HEAD", path: "/api/user" }),
  ];
  const todo =
    "Pass every method on as it is: the service answers OPTIONS itself, and refuses HEAD, which must not become a GET.";
  if (options.status !== 204 || !options.headers.allow?.includes("PUT")) {
    return doubtful("methods", `OPTIONS is answered ${inShort(options)} in place of the service's 204.`, todo);
  }
  if (head.status === 405) return good("methods", "OPTIONS and HEAD arrive as they are.");
  return doubtful(
    "methods",
    `HEAD is answered ${inShort(head)} in place of 405: something on the way changes it.`,
    todo,
  );
}

function clock({ headers, askedAt }: Answer): Finding {
  const date = Date.parse(headers.date ?? "");
  if (Number.isNaN(date)) return doubtful("clock", "answers carry no Date.", "Pass the service's Date on.");
  // It has no fractions of a second.
  return clockIsOff((date + 500 - askedAt) / 1_000, "the Date of answers");
}

/** Judges by how many seconds a clock there is ahead of the one here. */
export function clockIsOff(seconds: number, what: string): Finding {
  const off = Math.round(Math.abs(seconds));
  if (off <= OFF.doubtful) return good("clock", `${what} agrees with the clock here.`);
  const says = `${what} is ${off} s ${seconds > 0 ? "ahead of" : "behind"} the clock here.`;
  const todo =
    "Have both machines set their clocks by NTP, and let no proxy write the Date: expiry of tokens, links and sign-in codes go by the clock.";
  return off > OFF.wrong ? wrong("clock", says, todo) : doubtful("clock", says, todo);
}

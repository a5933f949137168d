import { isLoopback } from "@/lib/config/env";
import { ask, inShort, messageOf, type Reply, textOfError } from "@/lib/doctor/ask";
import { doubtful, type Finding, good, named, type Verdict, wrong } from "@/lib/doctor/finding";

const DAY_MS = 86_400_000;
/** A certificate should be renewed at least this long before it expires. */
const RENEWED_DAYS = 14;

const WHAT_TO_DO_ABOUT: Record<string, string> = {
  ECONNREFUSED:
    "Start the service. If it exits immediately, stderr says why: " +
    "a wrong SECRET_KEY, an invalid variable, a failed migration.",
  ENOTFOUND: "Correct the host name, or its DNS record.",
  CERT_HAS_EXPIRED: "Renew the certificate.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another name. Correct the URL or the certificate.",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "Use a certificate from a public authority, or set NODE_EXTRA_CA_CERTS here and for each caller.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "Configure the proxy to send the whole certificate chain, not just its own certificate.",
};

/** Whether the service is reachable, how, and ready; without these, further checks are pointless. */
export async function reach(base: URL): Promise<Finding[]> {
  const answer = await ask(base, { path: "/healthz" });
  if (answer.problem) {
    const { code = "", message } = answer.problem;
    const todo = WHAT_TO_DO_ABOUT[code] ?? "Check whether the service is running, and whether a firewall blocks you.";
    return named({ service: wrong(`no response: ${message || code}.`, todo) });
  }
  if (answer.status >= 300 && answer.status < 400) return named({ redirect: redirected(answer) });
  if (answer.json?.status !== "ok") return named({ service: notTheService(answer) });
  return named({ service: good("it responds."), encryption: encryption(base, answer), database: await database(base) });
}

function redirected({ status, headers }: Reply): Verdict {
  const target = headers.location ?? "nowhere";
  return wrong(
    `every call is redirected (${status}) to ${target}, which costs clients the method, the body or the ` +
      "Authorization header.",
    `Give callers the target URL, and run the doctor with it: ${target.replace(/\/healthz$/, "")}`,
  );
}

function notTheService(answer: Reply): Verdict {
  const says = `something else responds: ${inShort(answer)}.`;
  if ([502, 503, 504].includes(answer.status)) {
    return wrong(
      `a proxy responds instead: ${inShort(answer)}.`,
      "The proxy cannot reach the service. Check whether it is running (if not, stderr says why; " +
        "a wrong SECRET_KEY is one reason), and whether the proxy uses its HOST and PORT.",
    );
  }
  return wrong(says, "Give the URL under which /healthz reaches the service, and let the proxy forward every path.");
}

function encryption({ protocol, hostname }: URL, { certifiedUntil }: Reply): Verdict {
  if (certifiedUntil) {
    const days = Math.floor((certifiedUntil.getTime() - Date.now()) / DAY_MS);
    const says = `TLS; the certificate is valid for ${days} more days.`;
    return days < RENEWED_DAYS ? doubtful(says, "Find out why it has not been renewed.") : good(says);
  }
  if (protocol === "https:" || isLoopback(hostname)) return good("not needed on one machine.");
  return doubtful(
    "none: tokens and passwords can be read in transit.",
    "Put an https proxy in front, unless this is a private network. " +
      "With PUBLIC_URL=https://… cookies are sent over https only.",
  );
}

async function database(base: URL): Promise<Verdict> {
  const answer = await ask(base, { path: "/readyz" });
  if (answer.json?.status === "ready") return good("it is reachable and migrated.");
  return wrong(
    `the service is alive but not ready: ${inShort(answer)}. ${messageOf(answer)}`.trim(),
    "It cannot reach its database, is still migrating it, or is stopping. The log has the reason. " +
      "Check DATABASE_URL, and whether PostgreSQL is running and accepts connections.",
  );
}

/** Checks without an API token: whether responses and methods pass unchanged. */
export async function askAnonymously(base: URL): Promise<Finding[]> {
  const refusal = await ask(base, { path: "/api/user?user_group_id=doctor" });
  const again = await ask(base, { path: "/api/user?user_group_id=doctor" });
  return named({
    failures: failures(refusal),
    "request ids": requestIds(refusal),
    caching: caching(refusal, again),
    methods: await methods(base),
  });
}

function failures(answer: Reply): Verdict {
  // A request that bypassed the proxies is refused before its token is checked; the check with a token finds that.
  const isRefused = answer.status === 401 ? answer.code === "unauthorized" : answer.code === "bad_request";
  if (isRefused) return good("error responses arrive unchanged.");
  return wrong(
    `a call without a token returns ${inShort(answer)} instead of 401 unauthorized.`,
    "Let the proxy forward errors unchanged (nginx: proxy_intercept_errors off), disable its own password, and " +
      "route /api/user to the service.",
  );
}

function requestIds(answer: Reply): Verdict {
  const { headers } = answer;
  if (headers["x-request-id"] !== undefined && headers["x-request-id"] === textOfError(answer, "request_id")) {
    return good("X-Request-Id passes unchanged.");
  }
  return doubtful(
    headers["x-request-id"] === undefined ? "X-Request-Id is removed from responses." : "X-Request-Id is replaced.",
    "Forward the service's X-Request-Id: it identifies the request in the log.",
  );
}

function caching(first: Reply, second: Reply): Verdict {
  const { "cache-control": control = "" } = first.headers;
  const ages = [first, second].map(({ headers }) => headers.age);
  const [id, again] = [first, second].map((answer) => textOfError(answer, "request_id"));
  const isOld = ages.some((age) => Number(age) > 0) || (id !== undefined && id === again);
  const todo =
    "Disable caching below /api: a cached response shows one caller's tokens to another, and outdated tokens.";
  if (isOld) return wrong("responses come from a cache.", todo);
  if (!control.includes("no-store")) {
    const says = `Cache-Control is ${control === "" ? "dropped" : `changed to "${control}"`}.`;
    return wrong(says, `Forward no-store. ${todo}`);
  }
  if (ages[0] !== undefined) return doubtful("a cache is in the path, but stored nothing.", todo);
  return good("no response is cached.");
}

async function methods(base: URL): Promise<Verdict> {
  const [options, head] = [
    await ask(base, { method: "OPTIONS", path: "/api/user" }),
    await ask(base, { method: "HEAD", path: "/api/user" }),
  ];
  const todo =
    "Forward every method unchanged: the service answers OPTIONS itself, and refuses HEAD, which must not become " +
    "a GET.";
  if (options.status !== 204 || !options.headers.allow?.includes("PUT")) {
    return doubtful(`OPTIONS returns ${inShort(options)} instead of the service's 204.`, todo);
  }
  if (head.status === 405) return good("OPTIONS and HEAD arrive unchanged.");
  return doubtful(`HEAD returns ${inShort(head)} instead of 405: something in between changes it.`, todo);
}

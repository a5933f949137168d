import { version } from "@/lib/config/version";
import { findRandomToken } from "@/lib/crypto/random-token";
import { clockIsOff } from "@/lib/doctor/anonymous";
import { type Answer, ask, inShort } from "@/lib/doctor/ask";
import { doubtful, type Finding, good, wrong } from "@/lib/doctor/finding";
import { type Diagnosis, diagnosisAnswer } from "@/lib/doctor/schema";

/** An address that belongs to nobody (RFC 5737): who is believed to come from it wrote so himself. */
const NOBODY = "192.0.2.1";
/** More entries of X-Forwarded-For than the service can be told to believe. */
const MANY_ENTRIES = 10;
/** A body that is refused as 422 wherever it arrives, so that nothing is ever created or changed. */
const REFUSED = { doctor: true };
const LARGE_BYTES = 200 * 1024;
/** More than the 16 KiB of headers that the service takes, when both are sent; either alone is less. */
const PADDING = { "X-Doctor-1": "x".repeat(4_500), "X-Doctor-2": "x".repeat(4_500) };
const LONG_TOKEN = "x".repeat(7_600);

/** What can be seen with an API token: whether what callers send arrives as they sent it. */
export async function askWithToken(base: URL, token: string): Promise<Finding[]> {
  const headers = { Authorization: `Token ${token}` };
  const answer = await ask(base, { path: "/api/diagnosis", headers });
  const { data: diagnosis } = diagnosisAnswer.safeParse(answer.json);
  if (answer.code === "bad_request") return [await pastProxies(base, headers, answer)];
  if (answer.status !== 200 || !diagnosis) return [await notLetIn(base, token, answer)];
  const forged = await ask(base, { path: "/api/diagnosis", headers: { ...headers, "X-Forwarded-For": NOBODY } });
  return [
    good("Authorization", "it arrives, and the API token is valid."),
    await bodyOfGet(base, headers),
    await otherBodies(base, headers),
    ...(await largeBodies(base, headers)),
    address(diagnosis, diagnosisAnswer.safeParse(forged.json).data),
    host(base, diagnosis),
    {
      ...clockIsOff((Date.parse(diagnosis.time) - answer.askedAt) / 1_000, "the service's clock"),
      name: "service's clock",
    },
    role(diagnosis),
    key(diagnosis),
    release(diagnosis),
  ];
}

/** Requests are refused that come with fewer entries of X-Forwarded-For than TRUSTED_PROXIES says: with many of ours it says more. */
async function pastProxies(base: URL, headers: Record<string, string>, refused: Answer): Promise<Finding> {
  const forwarded = Array.from({ length: MANY_ENTRIES }, () => NOBODY).join(", ");
  const answer = await ask(base, { path: "/api/diagnosis", headers: { ...headers, "X-Forwarded-For": forwarded } });
  const { data: seen } = diagnosisAnswer.safeParse(answer.json);
  if (seen) return address({ ...seen, forwarded_for: seen.forwarded_for - MANY_ENTRIES }, seen);
  return wrong(
    "Authorization",
    `a call with the API token is answered ${inShort(refused)}.`,
    "See what the proxy adds.",
  );
}

/** Why the token did not let us in: it may be no good, or may never have arrived. The service says the same to both. */
async function notLetIn(base: URL, token: string, answer: Answer): Promise<Finding> {
  const name = "Authorization";
  if (answer.status === 429) return doubtful(name, "too many requests were made.", "Run the doctor again in a minute.");
  if (answer.status !== 401) {
    const todo = "This service is older than the doctor, or something on the way does not let /api/diagnosis through.";
    return wrong(name, `a call with the API token is answered ${inShort(answer)}.`, todo);
  }
  if (!(await arrives(base))) {
    return wrong(
      name,
      "the Authorization header is dropped on the way: the service sees none.",
      "Let the proxy or CDN pass Authorization on (CloudFront: an origin request policy that forwards it; nginx: no proxy_set_header Authorization).",
    );
  }
  const prefix = /^uga_(?:live|test)_/.exec(token)?.[0];
  const isMistyped = prefix !== undefined && findRandomToken(token, prefix) === undefined;
  const says = isMistyped
    ? "the API token is mistyped or cut: its checksum is wrong."
    : "the API token is not valid here.";
  return wrong(
    name,
    says,
    "Take one that `npm run -s api-token -- list` of this deployment shows as valid. If this one is, the service runs on another database, or with another SECRET_KEY.",
  );
}

/**
 * Whether an Authorization header arrives, whatever it says: with it these headers are too many for the service, which
 * then answers 431, and without it they are not. True as well where something else takes no headers as long.
 */
async function arrives(base: URL): Promise<boolean> {
  const authorization = { Authorization: `Token ${LONG_TOKEN}` };
  const answer = await ask(base, { path: "/api/diagnosis", headers: { ...PADDING, ...authorization } });
  return answer.status !== 401;
}

async function bodyOfGet(base: URL, headers: Record<string, string>): Promise<Finding> {
  const body = JSON.stringify({ user_group_id: "doctor", ...REFUSED });
  const answer = await ask(base, { path: "/api/user", headers, body });
  const name = "GET body";
  if (answer.code === "invalid_fields") return good(name, "the body of a GET arrives.");
  const todo =
    "Take the proxy or CDN that does this out of the way of /api/user (docs/deploy.md has a table), or have callers send the same as POST /api/user/get-or-create.";
  if (answer.code === "body_missing") return wrong(name, "the body of a GET is lost on the way.", todo);
  if (answer.code === "unsupported_media_type") {
    return wrong(name, "a GET arrives with another Content-Type.", "Pass Content-Type on with every request.");
  }
  return wrong(name, `a GET with a body is refused on the way: ${inShort(answer)}.`, todo);
}

async function otherBodies(base: URL, headers: Record<string, string>): Promise<Finding> {
  const body = JSON.stringify(REFUSED);
  let isReadOnly = false;
  for (const [method, path] of [
    ["PUT", "/api/user"],
    ["POST", "/api/user"],
    ["POST", "/api/user/get-or-create"],
  ] as const) {
    const answer = await ask(base, { method, path, headers, body });
    if (answer.code === "invalid_fields") continue;
    if (answer.code === "forbidden") {
      isReadOnly = true;
      continue;
    }
    const todo = "Pass PUT and POST on with their bodies, and redirect none of them.";
    return wrong("PUT and POST", `${method} ${path} is answered ${inShort(answer)}.`, todo);
  }
  const says = isReadOnly
    ? "they arrive; with a read-only token the body of PUT was not followed."
    : "they arrive with their bodies.";
  return good("PUT and POST", says);
}

async function largeBodies(base: URL, headers: Record<string, string>): Promise<Finding[]> {
  // Ten of the names come back, so that the answer is worth compressing.
  const names = Array.from({ length: 20 }, (_, n) => [`doctor ${n} ${"x".repeat(80)}`, true]);
  const body = JSON.stringify({ ...Object.fromEntries(names), doctor: "x".repeat(LARGE_BYTES) });
  const answer = await ask(base, {
    method: "POST",
    path: "/api/user/get-or-create",
    headers: { ...headers, "Accept-Encoding": "gzip, br" },
    body,
  });
  const encoding = answer.headers["content-encoding"];
  const compression = encoding
    ? doubtful(
        "compression",
        `answers are compressed on the way (${encoding}).`,
        "Compress nothing below /api: the ETags of answers become weak or go, so that If-Match fails, and compressed secrets can be guessed (BREACH).",
      )
    : good("compression", "answers are not compressed on the way.");
  const arrived = answer.status === 422;
  const size = arrived
    ? good("large bodies", "a body of 200 KiB arrives.")
    : wrong(
        "large bodies",
        `a body of 200 KiB is refused: ${inShort(answer)}.`,
        "Let the proxy take bodies of 1 MiB (nginx: client_max_body_size 1m): the service itself takes 256 KiB. If it does, its error log says more.",
      );
  return [size, ...(arrived ? [compression] : [])];
}

function address(seen: Diagnosis, forged: Diagnosis | undefined): Finding {
  const name = "address";
  const { trusted_proxies: trusted, forwarded_for: proxies } = seen;
  const set = `Set TRUSTED_PROXIES=${proxies}, the number of proxies that each add an entry to X-Forwarded-For here.`;
  if (forged?.address === NOBODY || trusted > proxies) {
    return wrong(
      name,
      `the service believes ${trusted} entries of X-Forwarded-For, and ${proxies} are its proxies': a caller can write the rest.`,
      set,
    );
  }
  if (trusted < proxies) {
    return wrong(name, `every caller seems to come from ${seen.address}, a proxy: limits count them as one.`, set);
  }
  return good(name, `the service takes you to come from ${seen.address}, by ${count(proxies)}.`);
}

function count(proxies: number): string {
  if (proxies === 0) return "no proxy";
  return proxies === 1 ? "one proxy" : `${proxies} proxies`;
}

function host({ host, origin }: URL, seen: Diagnosis): Finding {
  const name = "public address";
  if (seen.public_url === origin) return good(name, `PUBLIC_URL is ${origin}.`);
  if (seen.public_url !== null) {
    const todo =
      "Set PUBLIC_URL to the address people use: the dashboard is used from there alone, and links begin with it.";
    return doubtful(name, `PUBLIC_URL is ${seen.public_url}, and this is ${origin}.`, todo);
  }
  if (seen.host === host) return good(name, "Host arrives as it was sent.");
  return doubtful(
    name,
    `Host arrives as ${seen.host}: links in the dashboard begin with that, and browsers may be taken for strangers.`,
    `Set PUBLIC_URL=${origin}, or have the proxy pass Host on.`,
  );
}

function role({ is_database_owner }: Diagnosis): Finding {
  const name = "database role";
  if (!is_database_owner) return good(name, "the service's role can neither change the history nor the tables.");
  return doubtful(
    name,
    "the service's role owns its tables, or is a superuser: a fault in the service reaches the history, and perhaps the machine.",
    "Set DATABASE_OWNER_URL to this role's URL, and DATABASE_URL to one of another role (docs/deploy.md, two roles).",
  );
}

function key({ has_previous_key }: Diagnosis): Finding {
  if (!has_previous_key) return good("key", "SECRET_KEY is the one that this database was sealed with.");
  return doubtful(
    "key",
    "PREVIOUS_SECRET_KEY is still set.",
    "Run `npm run rekey` there, then start it without PREVIOUS_SECRET_KEY (docs/operations.md, changing the secret key).",
  );
}

function release(seen: Diagnosis): Finding {
  if (seen.version === version()) return good("version", `${seen.version}, as here.`);
  return doubtful(
    "version",
    `${seen.version}, and the doctor is of ${version()}.`,
    "Use the doctor of the release that runs there.",
  );
}

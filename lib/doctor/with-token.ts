import { version } from "@/lib/config/version";
import { findRandomToken } from "@/lib/crypto/random-token";
import { ask, inShort, type Reply } from "@/lib/doctor/ask";
import { doubtful, type Finding, good, named, type Verdict, wrong } from "@/lib/doctor/finding";
import { type Diagnosis, diagnosisAnswer } from "@/lib/doctor/schema";

/** A documentation address (RFC 5737), which only a forged header can contain. */
const NOBODY = "192.0.2.1";
/** More entries of X-Forwarded-For than TRUSTED_PROXIES allows. */
const MANY_ENTRIES = 10;
/** A body that is always refused with 422, so that nothing is ever created or changed. */
const REFUSED = { doctor: true };
const LARGE_BYTES = 200 * 1024;
/** Clock differences in seconds that deserve a look, and that break something. */
const OFF = { doubtful: 5, wrong: 60 };
/** A nightly backup that is older than this, in milliseconds, has failed. */
const LATE_MS = 26 * 3_600_000;
/** Together these exceed the service's 16 KiB of headers; either alone does not. */
const PADDING = { "X-Doctor-1": "x".repeat(4_500), "X-Doctor-2": "x".repeat(4_500) };
/** Seconds that a transaction may hold up events. */
const LONG_LAG = 60;
const LONG_TOKEN = "x".repeat(7_600);

/** Checks with an API token: whether requests arrive unchanged. */
export async function askWithToken(base: URL, token: string): Promise<Finding[]> {
  const headers = { Authorization: `Token ${token}` };
  const answer = await ask(base, { path: "/api/diagnosis", headers });
  const { data: diagnosis } = diagnosisAnswer.safeParse(answer.json);
  if (answer.code === "bad_request") return pastProxies(base, headers, answer);
  if (answer.status !== 200 || !diagnosis) return named({ Authorization: await notLetIn(base, token, answer) });
  const forged = await ask(base, { path: "/api/diagnosis", headers: { ...headers, "X-Forwarded-For": NOBODY } });
  return named({
    Authorization: good("the header arrives, and the API token is valid."),
    "GET body": await bodyOfGet(base, headers),
    "PUT and POST": await otherBodies(base, headers),
    "large bodies": await largeBodies(base, headers),
    compression: await compression(base, headers),
    address: address(diagnosis, diagnosisAnswer.safeParse(forged.json).data),
    "public address": host(base, diagnosis),
    clock: clock(diagnosis, answer),
    "database role": role(diagnosis),
    key: key(diagnosis),
    // An older service does not report all of these.
    history: history(diagnosis),
    version: release(diagnosis),
    instances: instances(diagnosis),
    backups: backups(diagnosis),
    events: feed(diagnosis),
    webhooks: webhooks(diagnosis),
  });
}

/**
 * The service refuses requests with fewer entries in X-Forwarded-For than TRUSTED_PROXIES: adding many makes it answer.
 */
async function pastProxies(base: URL, headers: Record<string, string>, refused: Reply): Promise<Finding[]> {
  const forwarded = Array.from({ length: MANY_ENTRIES }, () => NOBODY).join(", ");
  const answer = await ask(base, { path: "/api/diagnosis", headers: { ...headers, "X-Forwarded-For": forwarded } });
  const { data: seen } = diagnosisAnswer.safeParse(answer.json);
  if (seen) return named({ address: address({ ...seen, forwarded_for: seen.forwarded_for - MANY_ENTRIES }, seen) });
  const says = `a call with the API token returns ${inShort(refused)}.`;
  return named({ Authorization: wrong(says, "Check the entries that the proxy adds.") });
}

/** Why the token was refused: it is invalid, or never arrived. The service answers both the same. */
async function notLetIn(base: URL, token: string, answer: Reply): Promise<Verdict> {
  if (answer.status === 429) return doubtful("too many requests.", "Run the doctor again in a minute.");
  if (answer.status !== 401) {
    const todo = "The service is older than the doctor, or something in between blocks /api/diagnosis.";
    return wrong(`a call with the API token returns ${inShort(answer)}.`, todo);
  }
  if (!(await arrives(base))) {
    return wrong(
      "the Authorization header does not reach the service.",
      "Configure the proxy or CDN to forward Authorization " +
        "(CloudFront: an origin request policy that forwards it; nginx: no proxy_set_header Authorization).",
    );
  }
  const prefix = /^uga_(?:live|test)_/.exec(token)?.[0];
  const isMistyped = prefix !== undefined && findRandomToken(token, prefix) === undefined;
  return wrong(
    isMistyped ? "the API token is mistyped or truncated: its checksum is wrong." : "the API token is not valid here.",
    "Use a token that this deployment's `./user-groups api-token list` shows as valid. " +
      "If this one is listed, check its networks and TRUSTED_PROXIES; or the service uses another database or " +
      "SECRET_KEY.",
  );
}

/**
 * Whether an Authorization header arrives: with a long one, the headers exceed the service's limit, and it answers 431.
 * Also true when a proxy in between has a lower limit.
 */
async function arrives(base: URL): Promise<boolean> {
  const headers = { ...PADDING, Authorization: `Token ${LONG_TOKEN}` };
  const answer = await ask(base, { path: "/api/diagnosis", headers });
  return answer.status !== 401;
}

async function bodyOfGet(base: URL, headers: Record<string, string>): Promise<Verdict> {
  const body = JSON.stringify({ user_group_id: "doctor", ...REFUSED });
  const answer = await ask(base, { path: "/api/user", headers, body });
  if (answer.code === "invalid_fields") return good("GET bodies arrive.");
  if (answer.code === "forbidden") {
    const says = "not checked, as the API token lacks the scope tokens:read.";
    return doubtful(says, "Run the doctor with a read-only token.");
  }
  const todo =
    "Route /api/user around the proxy or CDN that does this (docs/deploy.md lists them), or let callers use " +
    "POST /api/user/get-or-create.";
  if (answer.code === "body_missing") return wrong("GET bodies are lost in transit.", todo);
  if (answer.code === "unsupported_media_type") {
    return wrong("the Content-Type of a GET is changed.", "Forward Content-Type with every request.");
  }
  return wrong(`a GET with a body is refused in transit: ${inShort(answer)}.`, todo);
}

async function otherBodies(base: URL, headers: Record<string, string>): Promise<Verdict> {
  const body = JSON.stringify(REFUSED);
  let isReadOnly = false;
  for (const [method, path] of [
    ["PUT", "/api/user"],
    ["POST", "/api/user"],
    ["POST", "/api/user/get-or-create"],
  ] as const) {
    const answer = await ask(base, { method, path, headers, body });
    isReadOnly ||= answer.code === "forbidden";
    if (answer.code === "invalid_fields" || answer.code === "forbidden") continue;
    const todo = "Forward PUT and POST with their bodies, without redirects.";
    return wrong(`${method} ${path} returns ${inShort(answer)}.`, todo);
  }
  const says = isReadOnly
    ? "they arrive; a read-only token cannot check the body of PUT."
    : "they arrive with their bodies.";
  return good(says);
}

async function largeBodies(base: URL, headers: Record<string, string>): Promise<Verdict> {
  const body = JSON.stringify({ doctor: "x".repeat(LARGE_BYTES) });
  const answer = await ask(base, { method: "POST", path: "/api/user/get-or-create", headers, body });
  if (answer.status === 422 || answer.code === "forbidden") return good("a body of 200 KiB arrives.");
  return wrong(
    `a body of 200 KiB is refused: ${inShort(answer)}.`,
    "Let the proxy accept bodies of 4 MiB (nginx: client_max_body_size 4m), the size of a batch. " +
      "Otherwise see the proxy's error log.",
  );
}

/** Needs a success: of errors, nginx compresses only 403 and 404. */
async function compression(base: URL, headers: Record<string, string>): Promise<Verdict> {
  const answer = await ask(base, { path: "/api/diagnosis", headers: { ...headers, "Accept-Encoding": "gzip, br" } });
  const encoding = answer.headers["content-encoding"];
  if (encoding === undefined) return good("responses are not compressed.");
  return doubtful(
    `responses are compressed in transit (${encoding}).`,
    "Disable compression below /api: it changes or removes ETags, and compressed secrets can be guessed (BREACH).",
  );
}

function address(seen: Diagnosis, forged: Diagnosis | undefined): Verdict {
  const { trusted_proxies: trusted, forwarded_for: proxies } = seen;
  const set = `Set TRUSTED_PROXIES=${proxies}, the number of proxies that each add an entry to X-Forwarded-For here`;
  if (forged?.address === NOBODY || trusted > proxies) {
    return wrong(
      `the service trusts ${entries(trusted)} of X-Forwarded-For, and ${entries(proxies)} came from a proxy: ` +
        "a caller can forge the rest.",
      `${set}. If there are ${trusted} proxies, set it to ${trusted} and let each add the address it sees ` +
        "(nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for).",
    );
  }
  if (trusted < proxies) {
    return wrong(`all callers appear as ${seen.address}, a proxy, so limits count them as one.`, `${set}.`);
  }
  const through = ["no proxy", "one proxy"][proxies] ?? `${proxies} proxies`;
  return good(`the service sees you as ${seen.address}, through ${through}.`);
}

function entries(count: number): string {
  return count === 1 ? "1 entry" : `${count === 0 ? "no" : count} entries`;
}

function host({ host, origin }: URL, seen: Diagnosis): Verdict {
  if (seen.public_url === origin) return good(`PUBLIC_URL is ${origin}.`);
  if (seen.public_url !== null) {
    const todo = "Set PUBLIC_URL to the URL people use: the dashboard works only there, and links begin with it.";
    return doubtful(`PUBLIC_URL is ${seen.public_url}, and this is ${origin}.`, todo);
  }
  if (seen.host === host) return good("Host arrives unchanged.");
  return doubtful(
    `Host arrives as ${seen.host}: links in the dashboard begin with that, and browsers may be refused as cross-site.`,
    `Set PUBLIC_URL=${origin}, or let the proxy forward Host.`,
  );
}

function clock({ time, database_time = time }: Diagnosis, { askedAt }: Reply): Verdict {
  const offset = (at: string) => Math.round((Date.parse(at) - askedAt) / 1_000);
  const [service, database] = [offset(time), offset(database_time)];
  const off = Math.max(Math.abs(service), Math.abs(database));
  if (off <= OFF.doubtful) return good("the clocks of the service and its database agree with the local clock.");
  const says = `the service's clock differs from the local one by ${service} s, and its database's by ${database} s.`;
  const todo = "Synchronize all three by NTP: sign-in codes expire by the service's clock, the rest by the database's.";
  return off > OFF.wrong ? wrong(says, todo) : doubtful(says, todo);
}

function role({ is_database_owner }: Diagnosis): Verdict {
  if (!is_database_owner) return good("the service's role can change neither the history nor the tables.");
  return doubtful(
    "the service's role owns its tables or is a superuser: a vulnerability could change the history, and perhaps " +
      "reach the machine.",
    "Set DATABASE_OWNER_URL to this role's URL, and DATABASE_URL to another role's (docs/operations.md, two roles).",
  );
}

function key({ has_previous_key }: Diagnosis): Verdict {
  if (!has_previous_key) return good("SECRET_KEY matches the database.");
  return doubtful(
    "PREVIOUS_SECRET_KEY is still set.",
    "Run `./user-groups rekey` there, then restart without PREVIOUS_SECRET_KEY (docs/operations.md, changing the " +
      "secret key).",
  );
}

function history({ overdue_months }: Diagnosis): Verdict | undefined {
  if (overdue_months === null || overdue_months === undefined) return undefined;
  if (overdue_months === 0) return good("no month is older than HISTORY_KEPT.");
  const months = overdue_months === 1 ? "1 month is" : `${overdue_months} months are`;
  return doubtful(
    `${months} older than HISTORY_KEPT.`,
    "Run `./user-groups prune-history` daily with DATABASE_OWNER_URL (docs/operations.md). " +
      "If the service's role owns the tables, its log says what held it up.",
  );
}

function instances({ versions, version }: Diagnosis): Verdict {
  const others = versions.filter((one) => one !== version);
  if (others.length === 0) return good(`all instances on this database run ${version}.`);
  return doubtful(
    `instances of ${others.join(" and ")} share the database with ${version}, and answer some calls differently.`,
    "Finish the upgrade: CHANGELOG.md says what an older instance does not support.",
  );
}

function feed({ feed_lag }: Diagnosis): Verdict | undefined {
  if (!feed_lag) return undefined;
  const { seconds, pid, prepared } = feed_lag;
  if (seconds < LONG_LAG) return good("no long transaction holds up new events.");
  const which = pid === null ? `the prepared transaction ${prepared}` : `the database session with pid ${pid}`;
  return doubtful(
    `new events have been held up for ${Math.round(seconds)} s by ${which}.`,
    "End it (pg_terminate_backend, ROLLBACK PREPARED), or wait: no event is lost.",
  );
}

function webhooks({ disabled_webhooks: disabled }: Diagnosis): Verdict | undefined {
  if (disabled === undefined) return undefined;
  if (disabled === 0) return good("the service has disabled none.");
  return doubtful(
    `the service disabled ${disabled}: their receivers failed for five days, or answered 410.`,
    "Repair the receivers, then enable the webhooks, or delete them (docs/webhooks.md). " +
      "Enabled ones continue where they were.",
  );
}

function release(seen: Diagnosis): Verdict {
  const running = seen.commit ? `${seen.version} (${seen.commit.slice(0, 7)})` : seen.version;
  if (seen.version === version()) return good(`${running}, like the doctor.`);
  return doubtful(`${running}, but the doctor is ${version()}.`, "Use the doctor of the deployed release.");
}

/** Only the embedded database is backed up by the service. */
function backups({ backup, time }: Diagnosis): Verdict | undefined {
  if (!backup) return undefined;
  const { is_on, last_backup_at } = backup;
  if (!is_on) {
    const todo = "Set BACKUP_DIR to a folder on another disk (docs/backup.md).";
    return doubtful("the embedded database is not backed up.", todo);
  }
  if (!last_backup_at || Date.parse(time) - Date.parse(last_backup_at) > LATE_MS) {
    const says = last_backup_at ? `the last backup was taken at ${last_backup_at}.` : "no backup has been taken yet.";
    return doubtful(says, "The service's log says why the nightly one failed. Run `./user-groups backup`.");
  }
  return good(`the last backup was taken at ${last_backup_at}.`);
}

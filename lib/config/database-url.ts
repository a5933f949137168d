// A database URL may list several hosts, as libpq's may (PostgreSQL, 34.1.1.3), which `new URL` and pg cannot read.

interface Parts {
  scheme: string;
  /** user and password as written, with the `@`; empty without one */
  credentials: string;
  /** as written, with their ports */
  hosts: string[];
  /** path, query and fragment */
  rest: string;
}

function partsOf(url: string): Parts {
  const [, scheme = "", authority = "", rest = ""] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? [];
  // As in `new URL`, the last @ ends the password.
  const end = authority.lastIndexOf("@") + 1;
  return { scheme, credentials: authority.slice(0, end), hosts: authority.slice(end).split(","), rest };
}

/** A URL for each host, in the given order; the URL itself when it has one host. */
export function splitHosts(url: string): string[] {
  const { scheme, credentials, hosts, rest } = partsOf(url);
  return hosts.length === 1 ? [url] : hosts.map((host) => `${scheme}${credentials}${host}${rest}`);
}

/** The value of a query parameter, the same for all hosts. */
export function parameterOf(url: string, name: string): string | undefined {
  const [first = ""] = splitHosts(url);
  return URL.canParse(first) ? (new URL(first).searchParams.get(name) ?? undefined) : undefined;
}

/** Hosts and database, without credentials and parameters. */
export function addressOf(url: string): string {
  const all = splitHosts(url).map((one) => new URL(one));
  return `${all.map(({ host }) => host).join(",")}${all[0]?.pathname ?? ""}`;
}

/** Whether each host of a URL makes a URL that can be parsed; an empty host is a {@link urlProblem}. */
export function isDatabaseUrl(url: string): boolean {
  const { credentials, hosts, rest } = partsOf(url);
  // A raw / in a password ends the authority early, and a comma before it would pass for a list of hosts.
  if (hosts.length > 1 && !credentials && rest.includes("@")) return false;
  return splitHosts(url).every((one, at) => (hosts.length > 1 && isEmptyHost(hosts[at])) || URL.canParse(one));
}

function isEmptyHost(host = ""): boolean {
  return /^(:\d*)?$/.test(host);
}

const LIST = "list the hosts with their ports before the path, as in host1:5432,host2:5432/database";

/** What is wrong with the hosts of a URL, or with its parameters about them, and the fix. Never quotes the URL: it holds a password. */
export function urlProblem(url: string): string | undefined {
  const { hosts } = partsOf(url);
  if (![undefined, "read-write"].includes(parameterOf(url, "target_session_attrs"))) {
    return "target_session_attrs must be read-write or omitted: the service refuses a standby anyway";
  }
  if (hosts.some((host) => /%2c/i.test(host)))
    return "has an encoded comma in its host: separate hosts by a plain comma";
  for (const name of ["host", "port"]) {
    if (parameterOf(url, name)?.includes(",")) return `${name} takes one value: ${LIST}`;
  }
  return hosts.length === 1 ? undefined : listProblem(url, hosts);
}

function listProblem(url: string, hosts: string[]): string | undefined {
  const empty = hosts.findIndex(isEmptyHost);
  if (empty >= 0) return `host ${empty + 1} of ${hosts.length} is empty: name it, or remove the extra comma`;
  const overriding = ["host", "port"].find((name) => parameterOf(url, name));
  if (overriding) return `${overriding} would apply to every host: leave it out, and ${LIST}`;
  if (parameterOf(url, "hostaddr")) return "hostaddr is not supported: list the addresses as hosts";
  if (![undefined, "disable"].includes(parameterOf(url, "load_balance_hosts"))) {
    return "load_balance_hosts must be disable or omitted: only the primary serves";
  }
  if (parameterOf(url, "pgbouncer")) {
    return "pgbouncer takes one host: PgBouncer hides which server it leads to, so let it follow the primary";
  }
  return undefined;
}

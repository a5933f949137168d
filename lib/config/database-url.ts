/** The value of a query parameter. */
export function parameterOf(url: string, name: string): string | undefined {
  return URL.canParse(url) ? (new URL(url).searchParams.get(name) ?? undefined) : undefined;
}

/** Host, port and database, without credentials and parameters. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

/** The problem of an invalid URL, and the fix. Never quotes the URL, which contains a password. */
export function urlProblem(url: string): string | undefined {
  if (listsHosts(url)) {
    return (
      "lists several hosts: name one address instead, of HAProxy, PgBouncer or your cluster's service " +
      "(docs/high-availability.md)"
    );
  }
  if (URL.canParse(url)) return undefined;
  return "is not a URL: percent-encode special characters in the user name and the password";
}

/** Whether a URL lists several hosts, as libpq allows (PostgreSQL, 34.1.1.3). */
function listsHosts(url: string): boolean {
  const [, authority = "", rest = ""] = /^[^/]*\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  // As in `new URL`, the last @ ends the password. A raw / in a password ends the authority early: a comma before it
  // does not separate hosts.
  const end = authority.lastIndexOf("@") + 1;
  if (end === 0 && rest.includes("@")) return false;
  const isList = (text = "") => /,|%2c/i.test(text);
  return isList(authority.slice(end)) || ["host", "hostaddr", "port"].some((name) => isList(parameterOf(url, name)));
}

/** The `pgbouncer` parameter of a database URL, if any; as in Prisma, only `true` means yes. */
export function pgBouncerIn(url: string): string | undefined {
  return parameterOf(url, "pgbouncer") || undefined;
}

/** Whether a URL points to PgBouncer in transaction mode. */
export function leadsToPgBouncer(url: string): boolean {
  return pgBouncerIn(url) === "true";
}

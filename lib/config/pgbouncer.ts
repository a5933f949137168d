/** What the URL of a database says of PgBouncer, if anything: a word for yes is `true` alone, as in Prisma's. */
export function pgBouncerIn(url: string): string | undefined {
  return (URL.canParse(url) && new URL(url).searchParams.get("pgbouncer")) || undefined;
}

/** Whether a URL says that PgBouncer in transaction mode answers there. */
export function leadsToPgBouncer(url: string): boolean {
  return pgBouncerIn(url) === "true";
}

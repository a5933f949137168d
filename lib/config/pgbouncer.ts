import { parameterOf } from "@/lib/config/database-url";

/** The `pgbouncer` parameter of a database URL, if any; as in Prisma, only `true` means yes. */
export function pgBouncerIn(url: string): string | undefined {
  return parameterOf(url, "pgbouncer") || undefined;
}

/** Whether a URL points to PgBouncer in transaction mode. */
export function leadsToPgBouncer(url: string): boolean {
  return pgBouncerIn(url) === "true";
}

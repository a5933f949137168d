import type { Endpoint } from "@/lib/endpoint/endpoint";
import { AppError } from "@/lib/errors";

/** The supported methods; HEAD only for pages. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The exports of a route file: an endpoint for each method. */
export type RouteModule = Readonly<Record<string, Endpoint>>;

/** The value of a route's Allow header. */
export function allowedMethods(methods: RouteModule): string[] {
  return [...METHODS.filter((name) => name in methods && name !== "HEAD"), "OPTIONS"];
}

/** The error for an unsupported method. */
export function methodNotAllowed(allowed: string[]): AppError {
  return new AppError("method_not_allowed", `Method not allowed. Allowed: ${allowed.join(", ")}.`, {
    headers: { Allow: allowed.join(", ") },
  });
}

import type { Endpoint } from "@/lib/endpoint/endpoint";
import { AppError } from "@/lib/errors";

/** The supported methods. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** The methods of pages and files. */
export const PAGE_METHODS = ["GET", "HEAD"];

/** The exports of a route file: an endpoint for each method. */
export type RouteModule = Readonly<Record<string, Endpoint>>;

/** The endpoint that answers a method; HEAD is GET's. */
export function endpointFor(methods: RouteModule, method: string): Endpoint | undefined {
  if (method !== "HEAD") return methods[method];
  return methods.GET?.hasHead ? methods.GET : undefined;
}

/** The value of a route's Allow header. */
export function allowedMethods(methods: RouteModule): string[] {
  return [...METHODS.filter((name) => endpointFor(methods, name)), "OPTIONS"];
}

/** The error for an unsupported method. */
export function methodNotAllowed(allowed: string[]): AppError {
  return new AppError("method_not_allowed", `Method not allowed. Allowed: ${allowed.join(", ")}.`, {
    headers: { Allow: allowed.join(", ") },
  });
}

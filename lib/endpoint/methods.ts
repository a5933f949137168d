import type { Endpoint } from "@/lib/endpoint/endpoint";
import { AppError } from "@/lib/errors";

/** The methods that there are; HEAD only for pages. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** What a route file exports: what answers each of its methods. */
export type RouteModule = Readonly<Record<string, Endpoint>>;

/** What the Allow header of a route says. */
export function allowedMethods(methods: RouteModule): string[] {
  return [...METHODS.filter((name) => name in methods && name !== "HEAD"), "OPTIONS"];
}

/** The answer to another method than these. */
export function methodNotAllowed(allowed: string[]): AppError {
  return new AppError("method_not_allowed", `This takes ${allowed.join(", ")}.`, {
    headers: { Allow: allowed.join(", ") },
  });
}

import { perProcess } from "@/lib/config/per-process";
// Types only: pages import this file, and the endpoint code would load the database driver a second time.
import type { Answer, Call } from "@/lib/endpoint/call";
import type { Endpoint } from "@/lib/endpoint/endpoint";
import { AppError } from "@/lib/errors";

/** The parameters of a route without bracketed names. */
export const NO_PARAMETERS: Call["parameters"] = {};
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

/** The route of a path. */
export interface FoundRoute {
  methods: RouteModule;
  /** its path as spelt by its file's folders, with parameters in brackets */
  path: string;
  /** the parameters' values in the path */
  parameters: Call["parameters"];
}

/** Routes by path; `[id]` matches one segment, and `[...all]` the rest. */
export interface Routes {
  /** finds the route of a request's path */
  find(path: string): FoundRoute | undefined;
  /** finds the route with this exact spelling */
  named(path: string): RouteModule | undefined;
}

/** Combines routes by path. Of several that match, the one with the fewest parameters wins. */
export function routesOf(modules: Record<string, RouteModule>): Routes {
  const plain = new Map<string, FoundRoute>();
  const patterns: { path: string; methods: RouteModule; pattern: RegExp }[] = [];
  for (const [path, module] of Object.entries(modules)) {
    // Reading from a plain object is faster than from a module.
    const methods = { ...module };
    if (path.includes("[")) patterns.push({ path, methods, pattern: patternOf(path) });
    else plain.set(path, { path, methods, parameters: NO_PARAMETERS });
  }
  patterns.sort((one, other) => one.path.split("[").length - other.path.split("[").length);
  return {
    find(path) {
      const found = plain.get(path);
      if (found) return found;
      for (const { pattern, ...route } of patterns) {
        const parameters = pattern.exec(path)?.groups;
        if (parameters) return { parameters, ...route };
      }
      return undefined;
    },
    named: (path) => modules[path],
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\[\.\.\.(\w+)\]/g, "(?<$1>.+)").replace(/\[(\w+)\]/g, "(?<$1>[^/]+)")}$`);
}

const toPages = perProcess<{ routes: Routes | undefined }>("routes of the pages", () => ({ routes: undefined }));

/** Makes these routes available to this process's pages. */
export function provideToPages(routes: Routes) {
  toPages.routes = routes;
}

/** Calls a route of this process by its spelling, for a page's data; undefined if there is none. */
export async function askOwn(call: Omit<Call, "method">): Promise<Answer | undefined> {
  return toPages.routes?.named(call.path)?.GET?.answer({ ...call, method: "GET" });
}

import { perProcess } from "@/lib/config/per-process";
import { type Answer, type Call, NO_PARAMETERS } from "@/lib/endpoint/call";
import type { RouteModule } from "@/lib/endpoint/methods";

/** The route that a path leads to. */
export interface FoundRoute {
  methods: RouteModule;
  /** its path as the folders of its file spell it, with names in brackets for what differs */
  path: string;
  /** what stands in a path in their place */
  parameters: Call["parameters"];
}

/** Routes by their paths, in which `[id]` stands for one part, and `[...all]` for all that are left. */
export interface Routes {
  /** the route that a path of a request leads to */
  find(path: string): FoundRoute | undefined;
  /** the route that is spelt so */
  named(path: string): RouteModule | undefined;
}

/** Puts routes together by their paths. Of those that fit a path a plain one comes first, then the first in their order. */
export function routesOf(modules: Record<string, RouteModule>): Routes {
  const plain = new Map<string, FoundRoute>();
  const patterns: { path: string; methods: RouteModule; pattern: RegExp }[] = [];
  for (const [path, module] of Object.entries(modules)) {
    // A plain object answers faster than a module for what it has.
    const methods = { ...module };
    if (path.includes("[")) patterns.push({ path, methods, pattern: patternOf(path) });
    else plain.set(path, { path, methods, parameters: NO_PARAMETERS });
  }
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

/** Has the pages of this process ask these routes. */
export function provideToPages(routes: Routes) {
  toPages.routes = routes;
}

/** Asks a route of this process, by how it is spelt, for what a page is about; undefined where there is none. */
export async function askOwn(call: Omit<Call, "method">): Promise<Answer | undefined> {
  return toPages.routes?.named(call.path)?.GET?.answer({ ...call, method: "GET" });
}

import type { oas31 } from "zod-openapi";
import type { Callers } from "@/lib/endpoint/access";
import { DESCRIBED_METHODS } from "@/lib/openapi/for-generators";

/** The callers of each route by method and path, as the routes declare them. */
export type DeclaredCallers = ReadonlyMap<string, Callers>;

/**
 * States the scopes of every call: for people at the end of its description, for tools as the roles of its security.
 */
export function withScopes(api: oas31.OpenAPIObject, declared: DeclaredCallers): oas31.OpenAPIObject {
  for (const [path, item] of Object.entries(api.paths ?? {})) {
    for (const method of DESCRIBED_METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, "[$1]")}`;
      const callers = declared.get(route);
      if (!callers) throw new Error(`${route} is described, but no route declares it`);
      if (callers.kind !== "programs") continue;
      operation.description = `${operation.description}\n\n${inWords(callers)}`;
      operation.security = [{ ApiToken: [...callers.scopes] }];
    }
  }
  return api;
}

function inWords({ scopes, sometimes }: Extract<Callers, { kind: "programs" }>): string {
  const always = scopes.map((scope) => `\`${scope}\``).join(", ");
  const parts = [...(always ? [always] : []), ...sometimes.map(({ scope, when }) => `\`${scope}\` ${when}`)];
  return parts.length > 0 ? `Scopes: ${parts.join("; ")}.` : "Scopes: none; any API token will do.";
}

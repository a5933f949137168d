import { createServer, type Server } from "node:http";
import { format } from "node:util";
import { env } from "@/lib/config/env";
import { methodNotAllowed, PAGE_METHODS } from "@/lib/endpoint/routes";
import { notFound } from "@/lib/errors";
import { badRequest } from "@/lib/http/client-error";
import type { Visit } from "@/lib/http/front-door";
import { pageHeaders } from "@/lib/http/security-headers";
import { log } from "@/lib/telemetry/log";

/** Next in this process, and the server that it attaches to. */
interface NextPages {
  serve(visit: Visit): Promise<void>;
  server: Server;
}

/** Loads Next, which serves the dashboard's pages. */
export async function openNext(): Promise<NextPages> {
  const { HOST, PORT, NODE_ENV } = env();
  const dev = NODE_ENV === "development";
  if (!dev) logConsole();
  const { default: next } = await import("next");
  const { parseAndValidateFlightRouterState: readTree } = await import(
    "next/dist/server/app-render/parse-and-validate-flight-router-state.js"
  );
  // Next listens for upgrades, so that Node passes it all of them, even unwanted ones (Java's HttpClient offers h2c
  // with every request): give it a server that receives only what we pass on.
  const server = createServer();
  const app = next({ dev, hostname: HOST, port: PORT, httpServer: server });
  const handle = app.getRequestHandler();
  await app.prepare();
  return {
    server,
    serve({ call, req, res, isApi }) {
      if (isApi) throw notFound(call.path);
      // Next would answer 200 for a page and 500 for a file. Its development tools use POST.
      if (!dev && !PAGE_METHODS.includes(call.method)) throw methodNotAllowed(PAGE_METHODS);
      // Next would answer 500 where one of these cannot be met, or is malformed.
      for (const name of ["range", "if-range", "if-match", "if-unmodified-since"]) delete req.headers[name];
      try {
        readTree(req.headers["next-router-state-tree"]);
      } catch {
        throw badRequest("The header Next-Router-State-Tree is malformed.");
      }
      // A page's prefetches carry the id of its answer.
      req.headers["x-request-id"] = call.requestId;
      res.setHeader("X-Request-Id", call.requestId);
      const { policy, headers } = pageHeaders();
      req.headers["content-security-policy"] = policy;
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      return handle(req, res);
    },
  };
}

/**
 * Turns Next's output into log lines, so that stdout contains nothing else. Next accepts no logger
 * (https://github.com/vercel/next.js/issues/4808).
 */
function logConsole() {
  for (const [method, level] of [
    ["log", "debug"],
    ["info", "debug"],
    ["warn", "warn"],
    ["error", "error"],
  ] as const) {
    const plain = (word: unknown) => (word instanceof Error ? word.stack : word);
    console[method] = (...words) => log()[level]({ from: "next" }, format(...words.map(plain)));
  }
}

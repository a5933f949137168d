import { createServer, type Server } from "node:http";
import { format } from "node:util";
import { env } from "@/lib/config/env";
import { notFound } from "@/lib/errors";
import type { Visit } from "@/lib/http/front-door";
import { pageHeaders } from "@/lib/http/security-headers";
import { log } from "@/lib/telemetry/log";

/** Next in this process, and the server that it believes to be its own. */
export interface NextPages {
  serve(visit: Visit): Promise<void>;
  server: Server;
}

/** Loads Next, which serves the pages of the dashboard. */
export async function openNext(): Promise<NextPages> {
  const { HOST, PORT, NODE_ENV } = env();
  const dev = NODE_ENV === "development";
  if (!dev) logConsole();
  const { default: next } = await import("next");
  // Next listens for upgrades, which takes those from Node that nobody wants (Java's HttpClient offers h2c with every
  // request): it listens on a server that gets none but what we hand on.
  const server = createServer();
  const app = next({ dev, hostname: HOST, port: PORT, httpServer: server });
  const handle = app.getRequestHandler();
  await app.prepare();
  return {
    server,
    serve({ call, req, res, isApi }) {
      if (isApi) throw notFound();
      // What a page asks ahead has the id of its answer.
      req.headers["x-request-id"] = call.requestId;
      res.setHeader("X-Request-Id", call.requestId);
      const { policy, headers } = pageHeaders();
      req.headers["content-security-policy"] = policy;
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      return handle(req, res);
    },
  };
}

/** Turns what Next prints into lines of the log, so that stdout is nothing else. */
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

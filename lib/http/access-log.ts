import type { ServerResponse } from "node:http";
import type { Call } from "@/lib/endpoint/call";
import { METHODS } from "@/lib/endpoint/routes";
import { type Connection, endRequest } from "@/lib/http/connections";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";
import { maskPath } from "@/lib/telemetry/mask-tokens";

interface Noted {
  call: Call;
  res: ServerResponse;
  /** its route's path with brackets, if it is one of ours */
  route: string | undefined;
  connection: Connection | undefined;
}

/** All other requests are counted under one of these. */
const PREFIXES = ["/api/admin/", "/api/auth/", "/api/", "/_next/"];

/** Logs and counts a request once it has been answered. */
export function logWhenDone({ call, res, route, connection }: Noted) {
  const start = performance.now();
  res.on("close", () => {
    const end = performance.now();
    if (connection) endRequest(connection, end);
    const status = res.writableFinished ? res.statusCode : 499;
    if (call.isLoggedElsewhere) return;
    const duration = end - start;
    if (!isFileOfPages(call, status)) {
      log().info({
        id: call.requestId,
        method: call.method,
        path: maskPath(call.path),
        status,
        duration_ms: Math.round(duration * 100) / 100,
        environment: call.environment,
      });
    }
    const method = METHODS.includes(call.method) ? call.method : "other";
    meter()?.answered({ method, route: route ?? kindOf(call), status }, duration / 1_000);
  });
}

/**
 * Whether a request was a successful one for a page's script, style or font. A page has dozens, which would bury
 * everything else in the log.
 */
function isFileOfPages({ path }: Call, status: number): boolean {
  return path.startsWith("/_next/static/") && status < 400;
}

/** The metric label of a request outside our routes: a fixed few, whatever strangers request. */
function kindOf({ path }: Call): string {
  return PREFIXES.find((prefix) => path.startsWith(prefix)) ?? "/";
}

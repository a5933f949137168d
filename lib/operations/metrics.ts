import { createHash, timingSafeEqual } from "node:crypto";
import { countedAddress } from "@/lib/auth/client-address";
import { env } from "@/lib/config/env";
import type { Access } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { AppError, notFound } from "@/lib/errors";
import { limitOf } from "@/lib/limits/limits";
import { openMeter, type Part } from "@/lib/operations/prometheus";

/** Prometheus text format, version 0.0.4. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

let collectAll: (() => Promise<string>) | undefined;

/**
 * Starts counting in this process, if metrics are configured. In the process that exposes them, `collect` returns the
 * metrics of all processes.
 */
export async function openMetrics(part: Part, collect?: () => Promise<string>) {
  if (!env().METRICS_TOKEN) return;
  await openMeter(part);
  collectAll = collect;
}

/** Callers with METRICS_TOKEN, such as Prometheus; if it is unset, the path does not exist. */
const collectors: Access<object> = {
  callers: { kind: "holders", setting: "METRICS_TOKEN" },
  admit(call) {
    const { METRICS_TOKEN } = env();
    if (!METRICS_TOKEN) throw notFound();
    const given = /^bearer +([\x21-\x7e]+)$/i.exec(call.headers.authorization ?? "")?.[1];
    if (given === undefined || !isSame(given, METRICS_TOKEN)) {
      limitOf("refusals")?.check(countedAddress(call));
      throw new AppError("unauthorized", "Send METRICS_TOKEN: `Authorization: Bearer <METRICS_TOKEN>`.", {
        headers: { "WWW-Authenticate": "Bearer" },
      });
    }
    return async () => ({});
  },
};

export const metrics = endpoint({
  access: collectors,
  hasDeadline: false,
  async handle() {
    // When Next serves alone, nothing is counted.
    if (!collectAll) throw notFound();
    return { status: 200, headers: { "Content-Type": CONTENT_TYPE }, body: await collectAll() };
  },
});

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

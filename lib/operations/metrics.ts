import { createHash, timingSafeEqual } from "node:crypto";
import { countedAddress } from "@/lib/auth/client-address";
import { env } from "@/lib/config/env";
import { checkLimit } from "@/lib/db/limits";
import type { Access } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { AppError, notFound } from "@/lib/errors";
import { openMeter, type Part } from "@/lib/operations/prometheus";

/** The text format of Prometheus, version 0.0.4. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const source = { collect: async () => "" };

/** Begins to count what this process does, if anybody may ask for it; `collect` gives the metrics of all processes. */
export async function openMetrics(part: Part, collect: () => Promise<string>) {
  if (!env().METRICS_TOKEN) return;
  await openMeter(part);
  source.collect = collect;
}

/** Whoever shows METRICS_TOKEN, as Prometheus does; where none is set there is nothing here. */
const collectors: Access<object> = {
  callers: "whoever has METRICS_TOKEN",
  authenticate(call) {
    const { METRICS_TOKEN } = env();
    if (!METRICS_TOKEN) throw notFound();
    const given = /^bearer +([\x21-\x7e]+)$/i.exec(call.headers.authorization ?? "")?.[1];
    if (given === undefined || !isSame(given, METRICS_TOKEN)) {
      checkLimit("refusals", countedAddress(call));
      throw new AppError("unauthorized", "Send the METRICS_TOKEN, as in `Authorization: Bearer <METRICS_TOKEN>`.", {
        headers: { "WWW-Authenticate": "Bearer" },
      });
    }
    return async () => ({});
  },
};

export const metrics = endpoint({
  access: collectors,
  hasDeadline: false,
  handle: async () => ({ status: 200, headers: { "Content-Type": CONTENT_TYPE }, body: await source.collect() }),
});

/** Compares in a time that does not depend on what is given. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

import { env } from "@/lib/config/env";
import { openMetrics } from "@/lib/operations/metrics";
import type { Part } from "@/lib/operations/prometheus";
import { tracing } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";
import { openTracing } from "@/lib/telemetry/otlp";

/**
 * Starts this process's metrics and traces, as configured; `collect` returns the metrics of all, in the one that shows
 * them.
 */
export async function observe(part: Part, collect?: () => Promise<string>) {
  await openMetrics(part, collect);
  if (env().OTEL_EXPORTER_OTLP_ENDPOINT) await openTracing();
}

/** Sends the last traces before the process ends. */
export async function flushTraces() {
  await tracing()
    ?.flush()
    .catch((err: unknown) => log().warn({ err }, "the last traces were not sent"));
}

import { randomUUID } from "node:crypto";
import { version } from "@/lib/config/version";
import { traceWith } from "@/lib/telemetry/current";
import { maskPath } from "@/lib/telemetry/mask-tokens";

/** How long a stopping service waits for the collector, in milliseconds. */
const FLUSH_MS = 1_000;
const CARRIED = ["traceparent", "tracestate"];
/** The attribute in which Next's spans have the caller's URL, with its query. */
const SENT = "http.target";

/**
 * Starts tracing this process, and exporting by OTLP over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT, which the
 * exporter reads itself, like its headers and timeout. Of callers' data, traces contain only the path.
 */
export async function openTracing() {
  // Loaded on demand: not needed without tracing.
  const { context, propagation, SpanKind, SpanStatusCode, trace } = await import("@opentelemetry/api");
  const { AsyncLocalStorageContextManager } = await import("@opentelemetry/context-async-hooks");
  const { W3CTraceContextPropagator } = await import("@opentelemetry/core");
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    "@opentelemetry/resources"
  );
  const { BatchSpanProcessor, TracerProvider } = await import("@opentelemetry/sdk-trace");
  const own = {
    "service.name": "user-group-service",
    "service.version": version(),
    // By the semantic conventions, each process of an instance has its own.
    "service.instance.id": randomUUID(),
  };
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      {
        onStart(span) {
          const sent = span.attributes[SENT];
          if (sent !== undefined) span.setAttribute(SENT, maskPath(String(sent).split("?", 1)[0] ?? ""));
        },
        onEnd() {},
        forceFlush: async () => {},
        shutdown: async () => {},
      },
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter() }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  const tracer = provider.getTracer("user-group-service");
  traceWith({
    begin(method, path, headers) {
      const attributes = { "http.request.method": method, "url.path": path };
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, attributes },
        propagation.extract(context.active(), headers),
      );
      return {
        within: (work) => context.with(trace.setSpan(context.active(), span), work),
        end(route, status) {
          span.updateName(`${method} ${route}`);
          span.setAttributes({ "http.route": route, "http.response.status_code": status });
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    // Periodic work belongs to no request: an idle service exports nothing.
    statement: (name, run) =>
      trace.getActiveSpan() === undefined
        ? run()
        : tracer.startActiveSpan(
            name,
            { kind: SpanKind.CLIENT, attributes: { "db.system.name": "postgresql", "db.operation.name": name } },
            async (span) => {
              try {
                return await run();
              } catch (error) {
                span.setStatus({ code: SpanStatusCode.ERROR });
                throw error;
              } finally {
                span.end();
              }
            },
          ),
    carried() {
      const carrier: Record<string, string> = {};
      propagation.inject(context.active(), carrier);
      return CARRIED.flatMap((name) => (carrier[name] === undefined ? [] : [name, carrier[name]]));
    },
    flush: () => provider.forceFlush({ timeoutMillis: FLUSH_MS }),
  });
}

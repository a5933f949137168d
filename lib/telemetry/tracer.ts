import type { IncomingHttpHeaders } from "node:http";

/** One request's part of a trace. */
export interface RequestTrace {
  /** runs the work that answers the request */
  within<T>(work: () => T): T;
  end(route: string, status: number): void;
}

/** A process's tracing. */
export interface Tracing {
  begin(method: string, path: string, headers: IncomingHttpHeaders): RequestTrace;
  /** runs one statement */
  statement<T>(name: string, run: () => Promise<T>): Promise<T>;
  /** headers, with names and values alternating, for another process to continue the trace */
  carried(): string[];
  /** sends everything unsent */
  flush(): Promise<void>;
}

let current: Tracing | undefined;

/** The tracing of this process; undefined without OTEL_EXPORTER_OTLP_ENDPOINT. */
export function tracing(): Tracing | undefined {
  return current;
}

/** Starts tracing. */
export function traceWith(tracing: Tracing) {
  current = tracing;
}

/** Runs a statement, within the trace if there is one. */
export function traced<T>(name: string, run: () => Promise<T>): Promise<T> {
  return current ? current.statement(name, run) : run();
}

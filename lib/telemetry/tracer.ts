import type { IncomingHttpHeaders } from "node:http";

/** The part of a trace that is one request's. */
export interface RequestTrace {
  /** does what answers the request */
  within<T>(work: () => T): T;
  end(route: string, status: number): void;
}

/** Where a process tells what it does, and when. */
export interface Tracing {
  begin(method: string, path: string, headers: IncomingHttpHeaders): RequestTrace;
  /** does what runs one statement */
  statement<T>(name: string, run: () => Promise<T>): Promise<T>;
  /** the headers, names and values in turn, by which another process goes on with the trace */
  carried(): string[];
  /** sends what has not been sent yet */
  flush(): Promise<void>;
}

let current: Tracing | undefined;

/** The traces of this process: none unless OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export function tracing(): Tracing | undefined {
  return current;
}

/** Traces from now on. */
export function traceWith(tracing: Tracing) {
  current = tracing;
}

/** Runs a statement, as a part of the trace if there is one. */
export function traced<T>(name: string, run: () => Promise<T>): Promise<T> {
  return current ? current.statement(name, run) : run();
}

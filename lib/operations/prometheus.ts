import { poolUse } from "@/lib/db/pool";
import { openConnections } from "@/lib/http/connections";
import { type Counts, countWith, type Meter } from "@/lib/telemetry/meter";

/** What a process does, as its label says: `api` for each that answers the API, `main` for the one that only starts others. */
export type Part = "api" | "pages" | "main";

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const WAIT_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

/** Begins to count what this process does, for Prometheus. */
export async function openMeter(part: Part) {
  // Not at the top: whoever asks for no metrics does without it.
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const register = new Registry();
  const registers = [register];
  register.setDefaultLabels({ process: part });
  collectDefaultMetrics({ register });
  const requests = new Histogram({
    registers,
    name: "http_request_duration_seconds",
    help: "Requests answered, by how long that took. Status 499: the client had gone.",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_SECONDS,
  });
  const waits = new Histogram({
    registers,
    name: "db_pool_wait_seconds",
    help: "How long it took to get a connection of the pool, or to get none.",
    buckets: WAIT_SECONDS,
  });
  const changes = new Counter({
    registers,
    name: "user_group_changes_total",
    help: "User groups created, updated, and given a new token.",
    labelNames: ["change"],
  });
  const kills = new Counter({
    registers,
    name: "service_processes_killed_total",
    help: "Processes of the service that did not answer any more, and were killed and replaced.",
    labelNames: ["role"],
  });
  new Gauge({
    registers,
    name: "db_pool_connections",
    help: "Connections of the pool; unanswered are given up while the database still works; max is how many it may have.",
    labelNames: ["state"],
    collect() {
      const { busy, idle, unanswered, max } = poolUse();
      this.set({ state: "busy" }, busy);
      this.set({ state: "idle" }, idle);
      this.set({ state: "unanswered" }, unanswered);
      this.set({ state: "max" }, max);
    },
  });
  new Gauge({
    registers,
    name: "db_pool_waiting",
    help: "Queries that wait for a connection of the pool.",
    collect() {
      this.set(poolUse().waiting);
    },
  });
  new Gauge({
    registers,
    name: "http_connections",
    help: "Connections of clients that are open.",
    collect() {
      this.set(openConnections());
    },
  });
  const closed = new Counter({
    registers,
    name: "http_connections_closed_total",
    help: "Connections closed for want of room: idle ones (room), or new ones that none made room for (refused).",
    labelNames: ["reason"],
  });
  let partitionsAhead: InstanceType<typeof Gauge> | undefined;
  const meter: Meter = {
    answered: (request, seconds) => requests.observe(request, seconds),
    waited: (seconds) => waits.observe(seconds),
    changed: (change) => changes.inc({ change }),
    killed: (role) => kills.inc({ role }),
    closed: (reason, count) => closed.inc({ reason }, count),
    partitioned(monthsAhead) {
      // One process alone knows it: in the others it would stand at zero.
      partitionsAhead ??= new Gauge({
        registers,
        name: "audit_partitions_ahead",
        help: "Months after this one for which the history has a partition: without one, every change fails.",
        aggregator: "first",
      });
      partitionsAhead.set(monthsAhead);
    },
    counts: () => register.getMetricsAsJSON(),
  };
  countWith(meter);
}

/** What several processes have counted, summed up in the text format of Prometheus; of gauges about time, their mean. */
export async function exposition(all: Counts[]): Promise<string> {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate(all).metrics();
}

/** What is left of the counts of a process that has ended: a total never goes down, but nothing is in use any more. */
export function afterwards(counts: Counts): Counts {
  // prom-client types the kind of a metric as a number, and gives its name.
  return counts.filter(({ type }) => ["counter", "histogram"].includes(String(type)));
}

import type { GaugeConfiguration, Gauge as GaugeOf } from "prom-client";
import { poolUse } from "@/lib/db/pool";
import { VALUE_FINDING_KINDS } from "@/lib/definitions/schema";
import { INACTIVE_REASONS } from "@/lib/groups/answer-schema";
import { openConnections } from "@/lib/http/connections";
import { type Counts, countWith, type Meter } from "@/lib/telemetry/current";

/** A process's label. */
export type Part = "api" | "pages";

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const WAIT_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

/** A counter with one label, and all of its values. */
interface LabelledCounter {
  name: string;
  help: string;
  label: string;
  values: readonly string[];
}

/** Starts counting in this process, for Prometheus. */
export async function openMeter(part: Part) {
  // Loaded on demand: not needed without metrics.
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const register = new Registry();
  const registers = [register];
  register.setDefaultLabels({ process: part });
  collectDefaultMetrics({ register });
  const counter = ({ name, help, label, values }: LabelledCounter) => {
    const counted = new Counter({ registers, name, help, labelNames: [label] });
    // From zero: Prometheus sees no increase in a counter's first value.
    for (const value of values) counted.inc({ [label]: value }, 0);
    return (value: string, count = 1) => counted.inc({ [label]: value }, count);
  };
  const requests = new Histogram({
    registers,
    name: "http_request_duration_seconds",
    help: "Duration of answered requests. Status 499: the client disconnected.",
    labelNames: ["method", "route", "status"],
    buckets: REQUEST_SECONDS,
  });
  const waits = new Histogram({
    registers,
    name: "db_pool_wait_seconds",
    help: "Time to get a connection from the pool, or to fail.",
    buckets: WAIT_SECONDS,
  });
  const happened = (name: string, help: string) => {
    const counted = new Counter({ registers, name, help });
    return () => counted.inc();
  };
  new Gauge({
    registers,
    name: "db_pool_connections",
    help: "Connections of the pool. Unanswered: abandoned while the database is still working. Max: the limit.",
    labelNames: ["state"],
    collect() {
      const use = poolUse();
      for (const state of ["busy", "idle", "unanswered", "max"] as const) this.set({ state }, use[state]);
    },
  });
  const now = (name: string, help: string, read: () => number) =>
    new Gauge({
      registers,
      name,
      help,
      collect() {
        this.set(read());
      },
    });
  now("db_pool_waiting", "Queries waiting for a connection of the pool.", () => poolUse().waiting);
  now("http_connections", "Open client connections.", openConnections);
  // Only the process that knows a value exposes it: in the others it would be zero.
  const known = <Label extends string>(configuration: GaugeConfiguration<Label>) => {
    let gauge: GaugeOf<Label> | undefined;
    return () => {
      gauge ??= new Gauge({ registers, ...configuration });
      return gauge;
    };
  };
  const partitionsAhead = known({
    name: "audit_partitions_ahead",
    help: "Future months for which the history has a partition. Without one, every change fails.",
  });
  let lastBackup: Date | undefined;
  const backupAge = known({
    name: "backup_age_seconds",
    help: "Time since the last backup of the embedded database. Without one, +Inf.",
    // Not summed: from the pages process, +Inf arrives as null.
    aggregator: "first",
    collect() {
      this.set(lastBackup ? (Date.now() - lastBackup.getTime()) / 1_000 : Number.POSITIVE_INFINITY);
    },
  });
  const feedLag = known({
    name: "event_feed_lag_seconds",
    help:
      "Age of the oldest open transaction that writes, which holds up new events; " +
      "its pid, or the name of a prepared one.",
    labelNames: ["blocker"],
  });
  const webhookLag = known({
    name: "webhook_lag_seconds",
    help: "Age of the oldest event not yet read for a webhook whose receiver works.",
  });
  const meter: Meter = {
    answered: (request, seconds) => requests.observe(request, seconds),
    waited: (seconds) => waits.observe(seconds),
    changed: counter({
      name: "user_group_changes_total",
      help: "User groups created, updated or rotated.",
      label: "change",
      values: ["created", "updated", "rotated"],
    }),
    refused: counter({
      name: "viewer_refusals_total",
      help: "Answers of POST /api/viewer that a token must not be served.",
      label: "reason",
      values: [...INACTIVE_REASONS, "unknown"],
    }),
    found: counter({
      name: "definition_findings_total",
      help: "Problems of written user groups by the definitions of their environment.",
      label: "kind",
      values: VALUE_FINDING_KINDS,
    }),
    sent: counter({
      name: "webhook_attempts_total",
      help: "Requests to receivers of webhooks, by outcome.",
      label: "outcome",
      values: ["delivered", "failed"],
    }),
    disabled: counter({
      name: "webhooks_disabled_total",
      help: "Webhooks that the service disabled: their receiver is gone, or kept failing.",
      label: "reason",
      values: ["gone", "failing"],
    }),
    jobEnded: counter({
      name: "jobs_ended_total",
      help: "Jobs that were applied to their end, or failed.",
      label: "outcome",
      values: ["done", "failed"],
    }),
    killed: happened("service_processes_killed_total", "Times that the pages process ended and was replaced."),
    closed: counter({
      name: "http_connections_closed_total",
      help: "Connections closed at the limit: idle ones to make room (room), or new ones (refused).",
      label: "reason",
      values: ["room", "refused"],
    }),
    failedOver: happened(
      "database_failovers_total",
      "Failovers of the database: another server or timeline became its primary.",
    ),
    partitioned: (monthsAhead) => partitionsAhead().set(monthsAhead),
    backedUp(at) {
      lastBackup = at;
      backupAge();
    },
    feedLags(seconds, blocker) {
      feedLag().reset();
      feedLag().set({ blocker }, seconds);
    },
    webhooksLag: (seconds) => webhookLag().set(seconds),
    counts: () => register.getMetricsAsJSON(),
  };
  countWith(meter);
}

/** The metrics of several processes in Prometheus text format; their series differ by the label `process`. */
export async function exposition(all: Counts[]): Promise<string> {
  const { AggregatorRegistry } = await import("prom-client");
  return AggregatorRegistry.aggregate(all).metrics();
}

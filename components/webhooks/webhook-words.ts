import type { Use } from "@/components/ui/use-mark";
import type { DeliveryState } from "@/lib/webhooks/facts";
import type { AttemptError, Delivery, Webhook } from "@/lib/webhooks/schema";

/** The host of a webhook, which names it in dialogs. */
export function hostOf({ url }: Pick<Webhook, "url">): string {
  return new URL(url).host;
}

/** A webhook's condition: "stopped" on request, "disabled" by the service. */
type Condition = "works" | "unused" | "failing" | "disabled" | "stopped";

export function conditionOf({ enabled, disabled_reason: reason, health }: Webhook): Condition {
  if (!enabled) return reason === "asked" ? "stopped" : "disabled";
  // Includes failed tests, which the service does not count as failing.
  const hasFailed = health.failing_since !== null || (!health.last_delivered_at && health.recent.includes("failed"));
  if (hasFailed) return "failing";
  return health.last_delivered_at ? "works" : "unused";
}

/** Each condition's mark, distinct in shape. */
export const CONDITION_MARKS: Record<Condition, Use> = {
  works: "in use",
  unused: "never",
  failing: "old token",
  disabled: "suspended",
  stopped: "idle",
};

export const STATE_WORDS: Record<DeliveryState, string> = {
  waiting: "Waiting",
  delivered: "Delivered",
  failed: "Failed",
};

/** The mark of a delivery's state. */
export const STATE_MARKS: Record<DeliveryState, Use> = {
  waiting: "old token",
  delivered: "in use",
  failed: "suspended",
};

const ERRORS: Record<AttemptError, [what: string, next: string]> = {
  dns: ["Host name not found", "Check the URL, or the DNS of its host."],
  address_refused: ["Address not public", "An operator can open a network with WEBHOOK_PRIVATE_NETWORKS."],
  connect: ["No connection", "Is the receiver running, and open to this service?"],
  tls: ["TLS failed", "Check the receiver’s certificate: its name, its expiry and its chain."],
  timeout: ["No answer in 15 s", "The receiver should answer first, then do the work."],
  reset: ["Connection broken", "The receiver closed the connection before answering."],
  redirect: ["Redirect", "Redirects are not followed: change the URL to where it leads."],
  status: ["Refused", "See the receiver’s log. Any status from 200 to 299 means received."],
  too_large: ["Answer too large", "An empty answer is enough."],
};

export type DeliveryAttempt = Delivery["attempts"][number];

/** How an attempt ended: "200", "Refused (500)" or "No connection". */
export function outcomeOf({ status, error }: DeliveryAttempt): string {
  if (error === null) return String(status);
  const [what] = ERRORS[error];
  return status === null ? what : `${what} (${status})`;
}

/** What to do about a failed attempt. */
export function adviceFor({ status, error }: DeliveryAttempt): string | undefined {
  if (error === "status" && status === 410) return "The receiver wants no more events.";
  return error === null ? undefined : ERRORS[error][1];
}

/** "840 ms" or "15.0 s". */
export function lengthOf({ duration_ms: ms }: DeliveryAttempt): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

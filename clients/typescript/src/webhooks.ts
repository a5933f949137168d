import { everyPage } from "./pages.js";
import type { CallOptions, Transport } from "./transport.js";
import type { Done } from "./user-group.js";

const MAX_DELIVERIES = 100;

/** The body that creates a webhook. */
export interface NewWebhook {
  /** where to send events: https */
  url: string;
  description?: string;
  /** such as `user_group.*`; null for all */
  types?: readonly string[] | null;
}

/** What to change of a webhook; an omitted member stays as it is. */
export interface WebhookChange extends Partial<NewWebhook> {
  enabled?: boolean;
  /** skips the events that were not sent yet */
  from?: "now";
}

/** What to send again: one delivery, all failed ones, or all events since a time (RFC 3339). */
export type WebhookReplay = { delivery_id: string } | { failed: true } | { since: string };

export type DeliveryState = "waiting" | "delivered" | "failed";

/** A webhook, and how its deliveries go. */
export interface Webhook {
  id: number;
  url: string;
  description: string;
  /** null for all */
  types: string[] | null;
  enabled: boolean;
  disabled_at: string | null;
  /** `gone`: the receiver answered 410; `failing`: no success for five days */
  disabled_reason: "gone" | "failing" | "asked" | null;
  /** who created it; null if unknown */
  made_by: { type: "api_token" | "member" | "operator"; id: string | null; name: string } | null;
  /** until when two signatures are sent */
  previous_secret_valid_until: string | null;
  health: {
    /** the last 100 deliveries, oldest first */
    recent: DeliveryState[];
    /** deliveries that wait for an attempt */
    waiting: number;
    last_delivered_at: string | null;
    /** since when every attempt failed; null if the last worked */
    failing_since: string | null;
    next_attempt_at: string | null;
    /** time of the last event that was sent or waits for an attempt */
    read_until: string | null;
  };
  created_at: string;
  updated_at: string;
}

export interface WebhookList {
  success: 1;
  webhooks: Webhook[];
}

export interface WebhookAnswer {
  success: 1;
  webhook: Webhook;
}

/** A webhook with its secret, which is shown only once. */
export interface WebhookSecret extends WebhookAnswer {
  secret: string;
}

/** What a webhook was sent. */
export interface Delivery {
  id: string;
  webhook_id: number;
  /** the header `webhook-id`, the same in each attempt and replay */
  message_id: string;
  type: string;
  team_id: number | null;
  state: DeliveryState;
  created_at: string;
  next_attempt_at: string | null;
  /** at most the last 50, oldest first; `status` is null without an answer */
  attempts: { at: string; status: number | null; duration_ms: number; error: AttemptError | null }[];
  /** as it was sent */
  body: string;
}

/** Why an attempt failed. */
export type AttemptError =
  | "dns"
  | "address_refused"
  | "connect"
  | "tls"
  | "timeout"
  | "reset"
  | "redirect"
  | "status"
  | "too_large";

export interface DeliveryAnswer {
  success: 1;
  delivery: Delivery;
}

/** The query of a webhook's deliveries. */
export interface DeliveriesQuery {
  state?: DeliveryState;
  /** 1 to 100 */
  limit?: number;
  cursor?: string;
}

/** A page of deliveries, newest first. */
export interface DeliveryList {
  success: 1;
  deliveries: Delivery[];
  next_cursor: string | null;
}

export interface ReplayAnswer {
  success: 1;
  /** how many deliveries are sent again; null with `since` */
  deliveries: number | null;
}

/** The calls for webhooks. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The environment's webhooks, and how their deliveries go. @throws {UserGroupsError} */
  list(options: CallOptions = {}): Promise<WebhookList> {
    return this.#transport.get("/api/webhooks", options);
  }

  /**
   * Has events sent to a URL from now on. Store the secret: it is shown only once.
   * @throws {UserGroupsError} `conflict` when there are too many
   */
  create(webhook: NewWebhook, options: CallOptions = {}): Promise<WebhookSecret> {
    // The service resolves the URL's name first.
    const call = { path: "/api/webhooks", options, repeatable: false, isBulk: true };
    return this.#transport.json({ method: "POST", body: webhook, ...call });
  }

  /** Changes, disables or enables a webhook. @throws {UserGroupsError} `not_found` */
  update(id: number, change: WebhookChange, options: CallOptions = {}): Promise<WebhookAnswer> {
    // Repeated, `from` would skip what happened since the first attempt.
    const call = { path: "/api/webhooks", options, repeatable: change.from === undefined, isBulk: true };
    return this.#transport.json({ method: "PATCH", body: { ...change, webhook_id: id }, ...call });
  }

  /** Deletes a webhook with its deliveries. @throws {UserGroupsError} `not_found` */
  delete(id: number, options: CallOptions = {}): Promise<Done> {
    const body = { webhook_id: id };
    return this.#transport.json({ method: "DELETE", path: "/api/webhooks", body, options, repeatable: false });
  }

  /**
   * Makes a new secret, which is shown only once. For 24 hours, messages have signatures by both.
   * @throws {UserGroupsError} `not_found`
   */
  rotateSecret(id: number, options: CallOptions = {}): Promise<WebhookSecret> {
    // Repeated, it would end the secret that receivers have.
    return this.#transport.post("/api/webhooks/rotate-secret", { webhook_id: id }, options, { repeatable: false });
  }

  /**
   * Sends an event `webhook.test` once; its delivery shows what came of it.
   * @throws {UserGroupsError} `not_found`, or `conflict` when the webhook is disabled
   */
  test(id: number, options: CallOptions = {}): Promise<DeliveryAnswer> {
    return this.#transport.post("/api/webhooks/test", { webhook_id: id }, options, { repeatable: false });
  }

  /**
   * Sends events again, with the same message ids as before.
   * @throws {UserGroupsError} `not_found`, or `conflict` when the webhook is disabled
   */
  replay(id: number, what: WebhookReplay, options: CallOptions = {}): Promise<ReplayAnswer> {
    return this.#transport.post("/api/webhooks/replay", { ...what, webhook_id: id }, options, { repeatable: false });
  }

  /** Returns a page of what a webhook was sent, newest first. @throws {UserGroupsError} */
  deliveries(id: number, query: DeliveriesQuery = {}, options: CallOptions = {}): Promise<DeliveryList> {
    return this.#transport.get("/api/webhooks/deliveries", options, { ...query, webhook_id: id });
  }

  /** What a webhook was sent, newest first. @throws {UserGroupsError} */
  async *iterateDeliveries(
    id: number,
    query: Omit<DeliveriesQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Delivery, void, undefined> {
    const ask = (place: { cursor?: string }) =>
      this.deliveries(id, { limit: MAX_DELIVERIES, ...query, ...place }, options);
    for await (const page of everyPage(ask)) yield* page.deliveries;
  }
}

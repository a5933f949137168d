import type { WebhookReplay } from "./bodies.js";
import type * as api from "./openapi.js";
import { everyPage } from "./pages.js";
import type { CallOptions, Transport } from "./transport.js";

const MAX_DELIVERIES = 100;

/** The calls for webhooks. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the environment's webhooks, with the state of their deliveries. @throws {UserGroupsError} */
  list(options: CallOptions = {}): Promise<api.WebhookList> {
    return this.#transport.get("/api/webhooks", options);
  }

  /**
   * Creates a webhook that sends events to a URL from now on. Store the secret: it is shown only once.
   * @throws {UserGroupsError} `conflict` when there are too many webhooks
   */
  create(webhook: api.NewWebhook, options: CallOptions = {}): Promise<api.WebhookSecret> {
    // The service resolves the URL's name first.
    return this.#transport.json("POST /api/webhooks", webhook, { options, repeatable: false, isBulk: true });
  }

  /** Changes, disables or enables a webhook. @throws {UserGroupsError} `not_found` */
  update(id: number, change: api.WebhookChange, options: CallOptions = {}): Promise<api.WebhookAnswer> {
    // A repeated `from` would skip events since the first attempt.
    const call = { options, repeatable: change.from === undefined, isBulk: true };
    return this.#transport.json("PATCH /api/webhooks", { ...change, webhook_id: id }, call);
  }

  /** Deletes a webhook with its deliveries. @throws {UserGroupsError} `not_found` */
  delete(id: number, options: CallOptions = {}): Promise<api.Done> {
    return this.#transport.json("DELETE /api/webhooks", { webhook_id: id }, { options, repeatable: false });
  }

  /**
   * Creates a new secret, which is shown only once. For 24 hours, messages carry signatures by both secrets.
   * @throws {UserGroupsError} `not_found`
   */
  rotateSecret(id: number, options: CallOptions = {}): Promise<api.WebhookSecret> {
    // A repetition would end the secret that receivers use.
    return this.#transport.postOnce("/api/webhooks/rotate-secret", { webhook_id: id }, options);
  }

  /**
   * Sends an event `webhook.test` once, and returns its delivery.
   * @throws {UserGroupsError} `not_found`, or `conflict` when the webhook is disabled
   */
  test(id: number, options: CallOptions = {}): Promise<api.DeliveryAnswer> {
    return this.#transport.postOnce("/api/webhooks/test", { webhook_id: id }, options);
  }

  /**
   * Sends events again, with the same message ids as before.
   * @throws {UserGroupsError} `not_found`, or `conflict` when the webhook is disabled
   */
  replay(id: number, what: WebhookReplay, options: CallOptions = {}): Promise<api.ReplayAnswer> {
    return this.#transport.postOnce("/api/webhooks/replay", { ...what, webhook_id: id }, options);
  }

  /** Returns a page of a webhook's deliveries, newest first. @throws {UserGroupsError} */
  deliveries(id: number, query: api.DeliveriesQuery = {}, options: CallOptions = {}): Promise<api.DeliveryList> {
    return this.#transport.get("/api/webhooks/deliveries", options, { ...query, webhook_id: id });
  }

  /** A webhook's deliveries, newest first. @throws {UserGroupsError} */
  async *iterateDeliveries(
    id: number,
    query: Omit<api.DeliveriesQuery, "cursor"> = {},
    options: CallOptions = {},
  ): AsyncGenerator<api.Delivery, void, undefined> {
    const ask = (place: { cursor?: string }) =>
      this.deliveries(id, { limit: MAX_DELIVERIES, ...query, ...place }, options);
    for await (const page of everyPage(ask)) yield* page.deliveries;
  }
}

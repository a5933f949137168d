import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import type { DeliveryState } from "@/lib/webhooks/facts";
import type {
  DeliveriesAnswer,
  Delivery,
  DeliveryAnswer,
  NewWebhook,
  ReplayAnswer,
  Webhook,
  WebhookAnswer,
  WebhookChange,
  WebhookSecretAnswer,
  WebhooksAnswer,
} from "@/lib/webhooks/schema";

const PATH = "/api/webhooks";
/** Polling intervals of deliveries, in milliseconds: while an attempt is due, and otherwise. */
const DUE_MS = 2_000;
const LOOK_MS = 5_000;

/** Root query key of an environment's webhooks; every change invalidates it. */
export const webhooksKey = (environment: string) => ["webhooks", environment];

/** The webhooks of an environment, with their health. */
export const webhooksQuery = (environment: string) =>
  queryOptions({
    queryKey: [...webhooksKey(environment), "list"],
    queryFn: async ({ signal }) => (await callApi<WebhooksAnswer>(PATH, { environment, signal })).webhooks,
  });

/** Which deliveries to show. */
interface DeliveryFilters {
  webhookId: number;
  state?: DeliveryState | undefined;
  cursor?: string | undefined;
}

/** A page of a webhook's deliveries, newest first; polled. */
export const deliveriesQuery = (environment: string, { webhookId, state, cursor }: DeliveryFilters) =>
  queryOptions({
    queryKey: [...webhooksKey(environment), "deliveries", webhookId, state, cursor],
    queryFn: ({ signal }) =>
      callApi<DeliveriesAnswer>(`${PATH}/deliveries`, {
        environment,
        query: { webhook_id: String(webhookId), state, cursor },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval({ state: { data } }) {
      const isSoon = (next: string | null) => next === null || Date.parse(next) <= Date.now() + DUE_MS;
      const isDue = data?.deliveries.some((one) => one.state === "waiting" && isSoon(one.next_attempt_at));
      return isDue ? DUE_MS : LOOK_MS;
    },
    staleTime: 0,
  });

/** Creates a webhook; the answer contains its secret, which is shown only once. */
export function askToCreateWebhook(environment: string, body: NewWebhook): Promise<WebhookSecretAnswer> {
  return callApi(PATH, { environment, method: "POST", body });
}

/** Changes a webhook. */
export async function askToChangeWebhook(
  environment: string,
  id: number,
  change: Omit<WebhookChange, "webhook_id">,
): Promise<Webhook> {
  const body = { webhook_id: id, ...change };
  return (await callApi<WebhookAnswer>(PATH, { environment, method: "PATCH", body })).webhook;
}

/** Deletes a webhook with its deliveries. */
export function askToDeleteWebhook(environment: string, id: number): Promise<unknown> {
  return callApi(PATH, { environment, method: "DELETE", body: { webhook_id: id } });
}

/** Gives a webhook a new secret; for a day, the old one also signs. */
export function askToRotateWebhookSecret(environment: string, id: number): Promise<WebhookSecretAnswer> {
  return callApi(`${PATH}/rotate-secret`, { environment, method: "POST", body: { webhook_id: id } });
}

/** How long to wait for the outcome of a test: an attempt takes at most 15 s. */
const TEST_LOOKS = 20;
const TEST_LOOK_MS = 1_000;

/** Sends a test event, once; returns its delivery with the outcome, or still waiting if that takes too long. */
export async function askToTestWebhook(environment: string, id: number): Promise<Delivery> {
  const body = { webhook_id: id };
  let { delivery } = await callApi<DeliveryAnswer>(`${PATH}/test`, { environment, method: "POST", body });
  const options = { environment, query: { webhook_id: String(id) } };
  for (let look = 0; look < TEST_LOOKS && delivery.state === "waiting"; look++) {
    await new Promise((resolve) => setTimeout(resolve, TEST_LOOK_MS));
    // The test was sent: an answer that is lost now changes nothing.
    const now = await callApi<DeliveriesAnswer>(`${PATH}/deliveries`, options).catch(() => undefined);
    delivery = now?.deliveries.find((one) => one.id === delivery.id) ?? delivery;
  }
  return delivery;
}

/** What to send again: one delivery, all failed ones, or all events since an ISO time. */
export type Replay = { delivery_id: string } | { failed: true } | { since: string };

/** Sends deliveries again; returns how many, or null for all events since a time. */
export async function askToReplay(environment: string, id: number, replay: Replay): Promise<number | null> {
  const body = { webhook_id: id, ...replay };
  return (await callApi<ReplayAnswer>(`${PATH}/replay`, { environment, method: "POST", body })).deliveries;
}

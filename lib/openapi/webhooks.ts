import type { ZodOpenApiPathsObject } from "zod-openapi";
import { operation } from "@/lib/openapi/operation";
import {
  deletedWebhookAnswer,
  deliveriesAnswer,
  deliveriesInput,
  deliveryAnswer,
  newWebhook,
  replayAnswer,
  webhookAnswer,
  webhookChange,
  webhookInput,
  webhookReplay,
  webhookSecretAnswer,
  webhooksAnswer,
} from "@/lib/webhooks/schema";

/** The tag of webhooks. */
export const WEBHOOKS = { name: "Webhooks", description: "Have events sent to you." };

const AT = "2026-11-26T08:00:00.000Z";
const WEBHOOK = {
  ...{ id: 1, url: "https://example.com/hooks/user-groups", description: "billing", types: ["user_group.*"] },
  ...{ enabled: true, disabled_at: null, disabled_reason: null, previous_secret_valid_until: null },
  made_by: { type: "api_token", id: "1", name: "backend" },
  health: {
    ...{ recent: ["delivered"], waiting: 0, last_delivered_at: AT, failing_since: null },
    ...{ next_attempt_at: null, read_until: AT },
  },
  ...{ created_at: AT, updated_at: AT },
};
const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const DELIVERY = {
  ...{ id: "1", webhook_id: 1, message_id: "msg_4711_mi9zk3b4", type: "user_group.updated", team_id: 3 },
  ...{ state: "delivered", created_at: AT, next_attempt_at: null },
  attempts: [{ at: AT, status: 200, duration_ms: 41, error: null }],
  body: '{"id":"4711","type":"user_group.updated"}',
};
const TEST = {
  ...DELIVERY,
  ...{ message_id: "msg_test_0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55", type: "webhook.test", team_id: null },
  ...{ state: "waiting", next_attempt_at: AT, attempts: [] },
};
const NAMED = { webhook_id: 1 };

/** The calls about webhooks, from the schemas of their routes. */
export const webhookPaths: ZodOpenApiPathsObject = {
  "/api/webhooks": {
    get: operation(WEBHOOKS, {
      operationId: "listWebhooks",
      summary: "List webhooks",
      description: "Returns the environment's webhooks, and how their deliveries go.",
      answered: "The webhooks.",
      answer: [webhooksAnswer, { success: 1, webhooks: [WEBHOOK] }],
    }),
    post: operation(WEBHOOKS, {
      operationId: "createWebhook",
      summary: "Create a webhook",
      description:
        "Sends events from now on to a URL, signed as [Standard Webhooks](https://www.standardwebhooks.com) describes. The answer has the secret, which is shown only once.",
      body: [newWebhook, { url: WEBHOOK.url, description: "billing", types: ["user_group.*"] }],
      answered: "The webhook and its secret.",
      answer: [webhookSecretAnswer, { success: 1, webhook: WEBHOOK, secret: SECRET }],
      errors: ["conflict"],
    }),
    patch: operation(WEBHOOKS, {
      operationId: "updateWebhook",
      summary: "Change a webhook",
      description: "Changes, disables or enables a webhook. Once enabled again, it is sent what happened in between.",
      body: [webhookChange, { ...NAMED, enabled: true }],
      answered: "The webhook.",
      answer: [webhookAnswer, { success: 1, webhook: WEBHOOK }],
      errors: ["not_found"],
    }),
    delete: operation(WEBHOOKS, {
      operationId: "deleteWebhook",
      summary: "Delete a webhook",
      description: "Deletes a webhook with its deliveries. Within two seconds, nothing more is sent.",
      body: [webhookInput, NAMED],
      answered: "It is deleted.",
      answer: [deletedWebhookAnswer, { success: 1 }],
      errors: ["not_found"],
    }),
  },
  "/api/webhooks/rotate-secret": {
    post: operation(WEBHOOKS, {
      operationId: "rotateWebhookSecret",
      summary: "Rotate a webhook's secret",
      description: "Makes a new secret, which is shown only once. For 24 hours, messages have signatures by both.",
      body: [webhookInput, NAMED],
      answered: "The webhook and its new secret.",
      answer: [webhookSecretAnswer, { success: 1, webhook: WEBHOOK, secret: SECRET }],
      errors: ["not_found"],
    }),
  },
  "/api/webhooks/test": {
    post: operation(WEBHOOKS, {
      operationId: "testWebhook",
      summary: "Send a test event",
      description: "Sends an event of the type `webhook.test` once. Its delivery shows the outcome.",
      body: [webhookInput, NAMED],
      answered: "The delivery.",
      answer: [deliveryAnswer, { success: 1, delivery: TEST }],
      errors: ["not_found", "conflict"],
    }),
  },
  "/api/webhooks/replay": {
    post: operation(WEBHOOKS, {
      operationId: "replayWebhook",
      summary: "Send events again",
      description:
        "Sends one delivery again, all failed ones, or all events since a time, with the same message ids as before.",
      body: [webhookReplay, { ...NAMED, failed: true }],
      answered: "How many deliveries wait to be sent again.",
      answer: [replayAnswer, { success: 1, deliveries: 1 }],
      errors: ["not_found", "conflict"],
    }),
  },
  "/api/webhooks/deliveries": {
    get: operation(WEBHOOKS, {
      operationId: "listDeliveries",
      summary: "List deliveries",
      description: "Returns what a webhook was sent, newest first: the last 10,000 deliveries of 14 days.",
      query: deliveriesInput,
      answered: "The deliveries.",
      answer: [deliveriesAnswer, { success: 1, deliveries: [DELIVERY], next_cursor: null }],
    }),
  },
};

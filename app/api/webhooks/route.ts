import { withScopes } from "@/lib/endpoint/access";
import { done, json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import {
  deletedWebhookAnswer,
  newWebhook,
  WEBHOOK_EXAMPLE,
  webhookAnswer,
  webhookChange,
  webhookInput,
  webhookSecretAnswer,
  webhooksAnswer,
} from "@/lib/webhooks/schema";
import { answerSecret, serializeWebhook } from "@/lib/webhooks/serialize";
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks } from "@/lib/webhooks/service";

export const GET = endpoint({
  operationId: "listWebhooks",
  summary: "List webhooks",
  description: "Returns the environment's webhooks, with the state of their deliveries.",
  access: withScopes("webhooks:write", "events:read"),
  input: noInput,
  answered: "The webhooks.",
  answer: webhooksAnswer,
  handle: async ({ caller }) => json({ webhooks: (await listWebhooks(caller.environment.id)).map(serializeWebhook) }),
});

export const POST = endpoint({
  operationId: "createWebhook",
  summary: "Create a webhook",
  description:
    "Sends events from now on to a URL, signed as [Standard Webhooks](https://www.standardwebhooks.com) describes. " +
    "The answer has the secret, which is shown only once.",
  access: withScopes("webhooks:write", "events:read"),
  input: newWebhook,
  // Resolving the receiver's name has its own time limit.
  hasDeadline: false,
  requestExample: WEBHOOK_EXAMPLE,
  answered: "The webhook and its secret.",
  answer: webhookSecretAnswer,
  errors: ["conflict"],
  handle: async ({ caller, input }) => answerSecret(await createWebhook(caller, input)),
});

export const PATCH = endpoint({
  operationId: "updateWebhook",
  summary: "Change a webhook",
  description: "Changes, disables or enables a webhook. Once enabled again, it receives what happened in the meantime.",
  access: withScopes("webhooks:write", "events:read"),
  input: webhookChange,
  hasDeadline: false,
  requestExample: { enabled: true },
  answered: "The webhook.",
  answer: webhookAnswer,
  errors: ["not_found"],
  handle: async ({ caller, input }) => json({ webhook: serializeWebhook(await changeWebhook(caller, input)) }),
});

export const DELETE = endpoint({
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  description: "Deletes a webhook with its deliveries. After two seconds at the latest, nothing more is sent.",
  access: withScopes("webhooks:write", "events:read"),
  input: webhookInput,
  answered: "It is deleted.",
  answer: deletedWebhookAnswer,
  errors: ["not_found"],
  handle: async ({ caller, input }) => done(await deleteWebhook(caller, input.webhook_id)),
});

import { z } from "zod";
import { programs } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { newWebhook, webhookChange, webhookInput } from "@/lib/webhooks/schema";
import { answerSecret, answerWebhook, answerWebhooks } from "@/lib/webhooks/serialize";
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks } from "@/lib/webhooks/service";

export const GET = endpoint({
  access: programs("webhooks:write", "events:read"),
  input: z.strictObject({}),
  handle: async ({ caller }) => answerWebhooks(await listWebhooks(caller.environment.id)),
});

export const POST = endpoint({
  access: programs("webhooks:write", "events:read"),
  conditions: [],
  input: newWebhook,
  // The receiver's name is resolved, which takes as long as it takes, up to a limit of its own.
  hasDeadline: false,
  handle: async ({ caller, input }) => answerSecret(await createWebhook(caller, input)),
});

export const PATCH = endpoint({
  access: programs("webhooks:write", "events:read"),
  conditions: [],
  input: webhookChange,
  hasDeadline: false,
  handle: async ({ caller, input }) => answerWebhook(await changeWebhook(caller, input)),
});

export const DELETE = endpoint({
  access: programs("webhooks:write", "events:read"),
  conditions: [],
  input: webhookInput,
  handle: async ({ caller, input }) => done(await deleteWebhook(caller, input.webhook_id)),
});

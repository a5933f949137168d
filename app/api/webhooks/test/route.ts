import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { deliveryAnswer, webhookInput } from "@/lib/webhooks/schema";
import { serializeDelivery } from "@/lib/webhooks/serialize";
import { testWebhook } from "@/lib/webhooks/service";

export const POST = endpoint({
  operationId: "testWebhook",
  summary: "Send a test event",
  description: "Sends an event of the type `webhook.test` once. Its delivery shows the outcome.",
  access: withScopes("webhooks:write", "events:read"),
  input: webhookInput,
  answered: "The delivery.",
  answer: deliveryAnswer,
  answerExample: {
    delivery: {
      message_id: "msg_test_0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55",
      type: "webhook.test",
      team_id: null,
      state: "waiting",
      next_attempt_at: "2026-11-26T08:00:00.000Z",
      attempts: [],
    },
  },
  errors: ["not_found", "conflict"],
  handle: async ({ caller, input }) =>
    json({ delivery: serializeDelivery(await testWebhook(caller, input.webhook_id)) }),
});

import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { replayAnswer, webhookReplay } from "@/lib/webhooks/schema";
import { replayWebhook } from "@/lib/webhooks/service";

export const POST = endpoint({
  operationId: "replayWebhook",
  summary: "Send events again",
  description:
    "Sends one delivery again, all failed ones, or all events since a time, with the same message ids as before.",
  access: withScopes("webhooks:write", "events:read"),
  input: webhookReplay,
  requestExample: { failed: true },
  answered: "How many deliveries are waiting to be sent again.",
  answer: replayAnswer,
  errors: ["not_found", "conflict"],
  handle: async ({ caller, input }) => json({ deliveries: await replayWebhook(caller, input) }),
});

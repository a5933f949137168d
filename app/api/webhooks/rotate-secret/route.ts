import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { webhookInput, webhookSecretAnswer } from "@/lib/webhooks/schema";
import { answerSecret } from "@/lib/webhooks/serialize";
import { rotateWebhookSecret } from "@/lib/webhooks/service";

export const POST = endpoint({
  operationId: "rotateWebhookSecret",
  summary: "Rotate a webhook's secret",
  description:
    "Creates a new secret, which is shown only once. For 24 hours, messages carry signatures by both secrets, even " +
    "after another rotation.",
  access: withScopes("webhooks:write", "events:read"),
  input: webhookInput,
  answered: "The webhook and its new secret.",
  answer: webhookSecretAnswer,
  errors: ["not_found"],
  handle: async ({ caller, input }) => answerSecret(await rotateWebhookSecret(caller, input.webhook_id)),
});

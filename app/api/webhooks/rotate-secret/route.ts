import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { webhookInput } from "@/lib/webhooks/schema";
import { answerSecret } from "@/lib/webhooks/serialize";
import { rotateWebhookSecret } from "@/lib/webhooks/service";

export const POST = endpoint({
  access: programs("webhooks:write", "events:read"),
  conditions: [],
  input: webhookInput,
  handle: async ({ caller, input }) => answerSecret(await rotateWebhookSecret(caller, input.webhook_id)),
});

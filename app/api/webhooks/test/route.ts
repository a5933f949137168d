import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { webhookInput } from "@/lib/webhooks/schema";
import { answerDelivery } from "@/lib/webhooks/serialize";
import { testWebhook } from "@/lib/webhooks/service";

export const POST = endpoint({
  access: programs("webhooks:write", "events:read"),
  conditions: [],
  input: webhookInput,
  handle: async ({ caller, input }) => answerDelivery(await testWebhook(caller, input.webhook_id)),
});

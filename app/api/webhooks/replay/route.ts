import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { webhookReplay } from "@/lib/webhooks/schema";
import { replayWebhook } from "@/lib/webhooks/service";

export const POST = endpoint({
  access: programs("webhooks:write", "events:read"),
  conditions: [],
  input: webhookReplay,
  handle: async ({ caller, input }) => json({ deliveries: await replayWebhook(caller, input) }),
});

import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { deliveriesAnswer, deliveriesInput } from "@/lib/webhooks/schema";
import { serializeDelivery } from "@/lib/webhooks/serialize";
import { listDeliveries } from "@/lib/webhooks/service";

export const GET = endpoint({
  operationId: "listDeliveries",
  summary: "List deliveries",
  description: "Returns what was sent to a webhook, newest first: up to 10,000 deliveries of the last 14 days.",
  access: withScopes("webhooks:write", "events:read"),
  input: deliveriesInput,
  answered: "The deliveries.",
  answer: deliveriesAnswer,
  errors: ["not_found"],
  handle: async ({ caller, input }) => {
    const { rows, nextCursor } = await listDeliveries(caller.environment.id, input);
    return json({ deliveries: rows.map(serializeDelivery), next_cursor: nextCursor });
  },
});

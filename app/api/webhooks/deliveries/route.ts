import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { deliveriesAnswer, deliveriesInput } from "@/lib/webhooks/schema";
import { answerDeliveries } from "@/lib/webhooks/serialize";
import { listDeliveries } from "@/lib/webhooks/service";

export const GET = endpoint({
  operationId: "listDeliveries",
  summary: "List deliveries",
  description: "Returns what a webhook was sent, newest first: the last 10,000 deliveries of 14 days.",
  access: programs("webhooks:write", "events:read"),
  input: deliveriesInput,
  answered: "The deliveries.",
  answer: deliveriesAnswer,
  handle: async ({ caller, input }) => answerDeliveries(await listDeliveries(caller.environment.id, input)),
});

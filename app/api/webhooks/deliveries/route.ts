import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { listDeliveries } from "@/lib/webhooks/deliveries";
import { deliveriesInput } from "@/lib/webhooks/schema";
import { answerDeliveries } from "@/lib/webhooks/serialize";

export const GET = endpoint({
  access: programs("webhooks:write", "events:read"),
  input: deliveriesInput,
  handle: async ({ caller, input }) => answerDeliveries(await listDeliveries(caller.environment.id, input)),
});

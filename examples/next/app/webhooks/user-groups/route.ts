import type { FeedEvent } from "@user-groups/client";
import { Webhook } from "standardwebhooks";
import { customers } from "../../../lib/customers";

export async function POST(request: Request) {
  const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? "");
  let event: FeedEvent;
  try {
    event = webhook.verify(
      await request.text(),
      Object.fromEntries(request.headers),
    ) as FeedEvent;
  } catch {
    return new Response(null, { status: 400 });
  }
  const customer = customers.get(event.data.provided_id ?? "");
  if (customer && event.type === "user_group.suspended")
    customer.suspended = true;
  if (customer && event.type === "user_group.resumed")
    customer.suspended = false;
  return new Response(null, { status: 204 });
}

import type { FeedEvent } from "@user-groups/client";
import { Webhook } from "standardwebhooks";
import { customers } from "../../../lib/customers";
import { userGroups } from "../../../lib/user-groups";

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
  const id = event.data.provided_id ?? "";
  const customer = customers.get(id);
  if (customer) {
    // Events can arrive out of order: ask for the current state.
    const { user_groups } = await userGroups().list({ user_group_id: [id] });
    customer.suspended = user_groups[0]?.state === "suspended";
  }
  return new Response(null, { status: 204 });
}

import { randomUUID } from "node:crypto";
import { customers, signIn } from "../../lib/customers";
import { userGroups } from "../../lib/user-groups";

export async function POST(request: Request) {
  const { name, plan } = await request.json();
  const customer = randomUUID();
  customers.set(customer, { suspended: false });
  await userGroups().upsert({
    user_group_id: customer,
    name,
    properties: { plan },
  });
  await signIn(customer);
  return Response.json({ customer }, { status: 201 });
}

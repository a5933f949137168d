import { redirect } from "next/navigation";
import { currentCustomer, customers } from "../../lib/customers";
import { userGroups } from "../../lib/user-groups";
import { Embed } from "./embed";

export default async function Dashboard() {
  const customer = await currentCustomer();
  if (!customer) redirect("/");
  if (customers.get(customer)?.suspended)
    return <p>Your access is suspended.</p>;
  const { viewer_token } = await userGroups().mintViewerToken({
    user_group_id: customer,
    viewer: customer,
  });
  return (
    <Embed rendererUrl={process.env.RENDERER_URL ?? ""} token={viewer_token} />
  );
}

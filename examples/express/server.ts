import { randomUUID } from "node:crypto";
import { type FeedEvent, UserGroupsClient } from "@user-groups/client";
import express, { type Request } from "express";
import { Webhook } from "standardwebhooks";

const {
  USER_GROUPS_URL = "",
  USER_GROUPS_API_TOKEN = "",
  WEBHOOK_SECRET = "",
  RENDERER_URL = "",
} = process.env;
const userGroups = new UserGroupsClient({
  baseUrl: USER_GROUPS_URL,
  apiToken: USER_GROUPS_API_TOKEN,
});
// In place of your database and your sign-in.
const customers = new Map<string, { suspended: boolean }>();
const sessions = new Map<string, string>();
const app = express();

app.post(
  "/sign-up",
  express.json(),
  async ({ body: { name, plan } }, response) => {
    const customer = randomUUID();
    customers.set(customer, { suspended: false });
    await userGroups.upsert({
      user_group_id: customer,
      name,
      properties: { plan },
    });
    const session = randomUUID();
    sessions.set(session, customer);
    response
      .cookie("session", session, { httpOnly: true, sameSite: "lax" })
      .status(201)
      .json({ customer });
  },
);

app.get("/dashboard", async (request, response) => {
  const customer = customerOf(request);
  if (!customer) return response.status(401).send("Sign in.");
  if (customers.get(customer)?.suspended)
    return response.status(403).send("Your access is suspended.");
  const { viewer_token } = await userGroups.mintViewerToken({
    user_group_id: customer,
    viewer: customer,
  });
  return response.set("Cache-Control", "no-store").send(`<!doctype html>
<title>Dashboard</title>
<iframe name="dashboard" title="Dashboard"></iframe>
<form method="post" action="${RENDERER_URL}" target="dashboard">
  <input type="hidden" name="viewer_token" value="${viewer_token}">
</form>
<script>document.forms[0].submit()</script>`);
});

app.post(
  "/webhooks/user-groups",
  express.text({ type: "application/json" }),
  async (request, response) => {
    let event: FeedEvent;
    try {
      event = new Webhook(WEBHOOK_SECRET).verify(
        request.body,
        request.headers as Record<string, string>,
      ) as FeedEvent;
    } catch {
      return response.sendStatus(400);
    }
    const id = event.data.provided_id ?? "";
    const customer = customers.get(id);
    if (customer) {
      // Events can arrive out of order: ask for the current state.
      const { user_groups } = await userGroups.list({ user_group_id: [id] });
      customer.suspended = user_groups[0]?.state === "suspended";
    }
    return response.sendStatus(204);
  },
);

function customerOf({ headers }: Request): string | undefined {
  const [, session = ""] =
    /(?:^|; )session=([\w-]+)/.exec(headers.cookie ?? "") ?? [];
  return sessions.get(session);
}

app.listen(Number(process.env.PORT ?? 3001));

import { type UserGroupsClient, UserGroupsError } from "@user-groups/client";
import express, { type Express, type Request } from "express";
import { CUSTOMERS, groupOf } from "./customers";

interface ProductOptions {
  userGroups: UserGroupsClient;
  rendererUrl: string;
  /** the life of a viewer token, in seconds */
  expiresIn: number;
  /** of the page: page.ts, bundled */
  script: string;
}

/** The product: its customers sign in, and see a dashboard in a frame. */
export function createProduct({ userGroups, rendererUrl, expiresIn, script }: ProductOptions): Express {
  const app = express();

  app.get("/", (_, response) => {
    const buttons = Object.entries(CUSTOMERS).map(
      ([customer, { name }]) => `<form method="post" action="/sign-in/${customer}"><button>${name}</button></form>`,
    );
    response.send(pageOf("Sign in as", buttons.join("")));
  });

  // In place of the product's own sign-in.
  app.post("/sign-in/:customer", (request, response) => {
    response.cookie("customer", request.params.customer, { httpOnly: true, sameSite: "lax" }).redirect(303, "/sales");
  });

  app.get("/sales", (request, response) => {
    const customer = customerOf(request);
    if (!customer) return response.redirect("/");
    const { name } = customer;
    return response.send(
      pageOf(
        `Sales of ${name}`,
        `<style>iframe { width: 640px; height: 320px; }</style>
        <p role="status"></p><main data-renderer="${rendererUrl}"></main>
        <script type="module" src="/page.js"></script>`,
      ),
    );
  });

  app.post("/viewer-token", async (request, response) => {
    const customer = customerOf(request);
    response.set("Cache-Control", "no-store");
    if (!customer) return response.status(401).json({ reason: "signed_out" });
    try {
      const { viewer_token, expires_at } = await userGroups.mintViewerToken({
        user_group_id: groupOf(customer.id),
        variables: { region: customer.region },
        expires_in: expiresIn,
      });
      return response.json({ viewer_token, expires_at });
    } catch (error) {
      if (!(error instanceof UserGroupsError)) throw error;
      if (error.code === "not_active") return response.status(403).json({ reason: error.code });
      console.error(error);
      return response.sendStatus(503);
    }
  });

  app.get("/page.js", (_, response) => {
    response.type("text/javascript").send(script);
  });
  return app;
}

/** The customer who has signed in. */
function customerOf({ headers }: Request) {
  const [, id = ""] = /(?:^|; )customer=(\w+)/.exec(headers.cookie ?? "") ?? [];
  const customer = Object.hasOwn(CUSTOMERS, id) ? CUSTOMERS[id] : undefined;
  return customer && { id, ...customer };
}

function pageOf(title: string, content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${content}</html>`;
}

import { type UserGroupsClient, UserGroupsError } from "@user-groups/client";
import express, { type Express, type Request } from "express";
import { CUSTOMERS, groupOf, PEOPLE } from "./customers";

interface ProductOptions {
  userGroups: UserGroupsClient;
  /** each renderer's, by what it shows */
  renderers: Record<string, string>;
  /** the life of a viewer token, in seconds */
  expiresIn: number;
  /** of the page: page.ts, bundled */
  script: string;
}

const STYLE = `<style>
  body { margin: 32px; font: 15px/1.5 system-ui, sans-serif; }
  main { display: flex; flex-wrap: wrap; gap: 24px; }
  section { flex: 1 1 420px; }
  h2 { text-transform: capitalize; font-size: 18px; }
  [role="status"] { min-height: 1.5em; margin: 0 0 8px; }
  iframe { width: 100%; height: 300px; border: 1px solid #ddd; border-radius: 8px; }
</style>`;
/** The errors that end a view: the customer is suspended or has ended, or the person's views were ended. */
const ENDED = ["not_active", "viewer_ended"];
/** Whose tokens are of a claim template; the others are plain viewer tokens. */
const TEMPLATES: Record<string, string> = { orders: "orders" };

/** The product: its customers' people sign in, and see a dashboard of each renderer in a frame. */
export function createProduct({ userGroups, renderers, expiresIn, script }: ProductOptions): Express {
  const app = express();

  app.get("/", (_, response) => {
    const buttons = Object.entries(PEOPLE).map(
      ([person, { name, customer }]) =>
        `<form method="post" action="/sign-in/${person}"><button>${name} of ${CUSTOMERS[customer]?.name}</button></form>`,
    );
    response.send(pageOf("Sign in as", buttons.join("")));
  });

  // In place of the product's own sign-in.
  app.post("/sign-in/:person", (request, response) => {
    response.cookie("person", request.params.person, { httpOnly: true, sameSite: "lax" }).redirect(303, "/sales");
  });

  app.get("/sales", (request, response) => {
    const viewer = viewerOf(request);
    if (!viewer) return response.redirect("/");
    const views = Object.entries(renderers).map(
      ([name, url]) =>
        `<section aria-label="${name}" data-renderer="${url}"><h2>${name}</h2><p role="status"></p></section>`,
    );
    const head = `<p>${viewer.person} is signed in. <a href="/">Sign in as someone else</a></p>`;
    const end = `<script type="module" src="/page.js"></script>`;
    return response.send(pageOf(`The year of ${viewer.customer.name}`, `${head}<main>${views.join("")}</main>${end}`));
  });

  app.post("/viewer-token", async (request, response) => {
    const viewer = viewerOf(request);
    response.set("Cache-Control", "no-store");
    if (!viewer) return response.status(401).json({ reason: "signed_out" });
    const template = TEMPLATES[String(request.query.view)];
    try {
      const { viewer_token, expires_at } = await userGroups.mintViewerToken({
        user_group_id: groupOf(viewer.customer.id),
        viewer: viewer.id,
        variables: { region: viewer.customer.region },
        // A template's tokens are valid until they expire: soon.
        expires_in: template ? Math.min(expiresIn, 60) : expiresIn,
        ...(template && { template }),
      });
      return response.json({ viewer_token, expires_at });
    } catch (error) {
      if (!(error instanceof UserGroupsError)) throw error;
      if (ENDED.includes(error.code)) return response.status(403).json({ reason: error.code });
      console.error(error);
      return response.sendStatus(503);
    }
  });

  app.get("/page.js", (_, response) => {
    response.type("text/javascript").send(script);
  });
  return app;
}

/** Who has signed in, and of which customer. */
function viewerOf({ headers }: Request) {
  const [, id = ""] = /(?:^|; )person=(\w+)/.exec(headers.cookie ?? "") ?? [];
  const person = Object.hasOwn(PEOPLE, id) ? PEOPLE[id] : undefined;
  const customer = person && CUSTOMERS[person.customer];
  return customer && { id, person: person.name, customer: { id: person.customer, ...customer } };
}

function pageOf(title: string, content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>${STYLE}<h1>${title}</h1>${content}</html>`;
}

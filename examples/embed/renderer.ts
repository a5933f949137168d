import { createVerifier, InvalidViewerTokenError } from "@user-groups/client/verify";
import express, { type ErrorRequestHandler, type Express } from "express";
import type pg from "pg";
import { bundle } from "./bundle";
import type { KnownRevocations } from "./revocations";

interface RendererOptions {
  /** of the viewer tokens */
  issuer: string;
  database: pg.Pool;
  revocations: KnownRevocations;
}

const SALES = `
  SELECT to_char(month, 'YYYY-MM') AS month, amount FROM sales
  WHERE region = $1 ORDER BY sales.month`;

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sales</title><body><main></main>
  <form method="post"><input type="hidden" name="viewer_token"></form>
  <script type="module" src="/dashboard.js"></script></body></html>`;

/** The renderer, on an origin of its own: it verifies viewer tokens offline and draws what their groups may see. */
export async function createRenderer({ issuer, database, revocations }: RendererOptions): Promise<Express> {
  const script = await bundle("dashboard.ts");
  const { verify } = createVerifier({ issuer, ...revocations });
  const app = express();

  app.use((_, response, next) => {
    response.set({ "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" });
    next();
  });

  // In the frame first: it receives the token by a message, since in an address it would be in logs and in the history.
  app.get("/dashboard", (_, response) => {
    response.set("Content-Security-Policy", "default-src 'self'").send(PAGE);
  });

  // With the token come the origins, by which the browser refuses to show the frame elsewhere.
  app.post("/dashboard", express.urlencoded({ extended: false }), async ({ body }, response) => {
    const token = String(body?.viewer_token);
    const { origins } = await verify(token);
    // No list is anywhere, an empty one nowhere.
    const ancestors = origins ? origins.join(" ") || "'none'" : "*";
    response.set("Content-Security-Policy", `default-src 'self'; frame-ancestors ${ancestors}`);
    response.send(pageWith(token));
  });

  app.get("/sales", async ({ headers }, response) => {
    const { variables } = await verify(headers.authorization?.replace(/^Bearer /, "") ?? "");
    // The variable is a parameter of the query, never a part of its text. Without one nothing matches.
    const { rows } = await database.query(SALES, [variables.region ?? null]);
    response.json({ region: variables.region, sales: rows });
  });

  app.get("/dashboard.js", (_, response) => {
    response.type("text/javascript").send(script);
  });
  return app.use(refuse);
}

/** Answers an invalid token with 401, and 503 if the keys cannot be read. */
const refuse: ErrorRequestHandler = (error, _, response, next) => {
  if (!(error instanceof InvalidViewerTokenError)) return next(error);
  const status = error.reason === "keys_unavailable" ? 503 : 401;
  return response.status(status).json({ reason: error.reason, message: error.message });
};

function pageWith(token: string): string {
  // A JWT has no other characters, so this one cannot leave its attribute.
  const attribute = token.replaceAll(/[^\w.-]/g, "");
  return PAGE.replace("<body>", `<body data-viewer-token="${attribute}">`);
}

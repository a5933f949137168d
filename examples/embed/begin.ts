import { randomBytes } from "node:crypto";
import type { UserGroupsClient } from "@user-groups/client";
import type { Express } from "express";
import type pg from "pg";
import { CUSTOMERS, groupOf } from "./customers";
import { createProduct } from "./product";
import { createRenderer } from "./renderer";
import { followRevocations } from "./revocations";
import { secretTokens, viewerTokens } from "./verifiers";

type Part = "product" | "sales" | "orders";

interface ExampleOptions {
  /** with API tokens of the presets `backend`, `renderer` and `full` */
  clients: Record<"backend" | "renderer" | "settings", UserGroupsClient>;
  /** of the viewer tokens */
  issuer: string;
  /** with sales.sql */
  database: pg.Pool;
  urls: Record<Part, string>;
  /** the life of a viewer token, in seconds */
  expiresIn: number;
  /** page.ts and dashboard.ts, bundled */
  scripts: Record<"page" | "dashboard", string>;
  /** ends the polling */
  signal?: AbortSignal;
}

/** Creates the customers' groups and the second renderer's template; returns the product and both renderers. */
export async function begin(options: ExampleOptions): Promise<Record<Part, Express>> {
  const { clients, issuer, database, urls, expiresIn, scripts, signal } = options;
  for (const [customer, { name }] of Object.entries(CUSTOMERS)) {
    await clients.backend.upsert({ user_group_id: groupOf(customer), name });
  }
  const secret = randomBytes(32).toString("hex");
  await setTemplate(clients.settings, secret);
  const shared = { database, script: scripts.dashboard };
  const revocations = await followRevocations(clients.renderer, signal);
  return {
    sales: createRenderer({ ...shared, measure: "amount", verify: viewerTokens(issuer, revocations) }),
    orders: createRenderer({ ...shared, measure: "orders", verify: secretTokens(secret) }),
    product: createProduct({
      userGroups: clients.backend,
      renderers: { sales: urls.sales, orders: urls.orders },
      expiresIn,
      script: scripts.page,
    }),
  };
}

/** The second renderer's tokens, which its secret signs: in place of the secret that you would copy from Metabase. */
async function setTemplate(userGroups: UserGroupsClient, secret: string) {
  const { settings } = await userGroups.viewerSettings();
  const orders = {
    signing: { algorithm: "HS256" as const, secret },
    audience: "orders",
    claims: { region: "{{variables.region}}" },
  };
  await userGroups.setViewerSettings({ ...settings, templates: { ...settings.templates, orders } });
}

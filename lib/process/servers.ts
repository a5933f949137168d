import type { IncomingMessage, Server } from "node:http";
import { CLIENT_ADDRESS, clientAddress } from "@/lib/auth/client-address";
import { env } from "@/lib/config/env";
import { provideToPages, type Routes } from "@/lib/endpoint/routes";
import { affordableConnections } from "@/lib/http/connections";
import { openServer } from "@/lib/http/front-door";
import { openNext } from "@/lib/http/next-pages";
import { proxyTo } from "@/lib/http/proxy";
import { replayUpgrades } from "@/lib/http/upgrade";

/** The routes of the processes. */
export interface RouteSets {
  /** answered by the API process itself */
  api: Routes;
  /** all routes; loaded late, as the API process needs only a few of them, and no better-auth */
  loadAll(): Promise<Routes>;
}

/** Answers the API, and passes everything else to the pages process. */
export function openApi({ api }: RouteSets, socketPath: string): Server {
  const { MAX_CONNECTIONS, DATABASE_POOL_SIZE } = env();
  const affordable = affordableConnections(DATABASE_POOL_SIZE);
  const mostConnections = Math.min(MAX_CONNECTIONS, affordable);
  return openServer({
    routes: api,
    rest: proxyTo(socketPath, affordable),
    isForRest: isOfBrowser,
    addressOf,
    mostConnections,
    isBehindProxy: env().TRUSTED_PROXIES > 0,
  });
}

/** Answers everything that the API process passes on. */
export async function openPages(sets: RouteSets): Promise<Server> {
  return openServer({
    routes: await loadForPages(sets),
    rest: (await openNext()).serve,
    addressOf: ({ headers }) => String(headers[CLIENT_ADDRESS]),
    // The API process has already checked their number, and adds some.
    mostHeaders: Number.POSITIVE_INFINITY,
  });
}

const addressOf = (req: IncomingMessage) => clientAddress(req, env().TRUSTED_PROXIES);

/** Sessions belong to better-auth, which the pages process has loaded. */
function isOfBrowser({ headers }: IncomingMessage): boolean {
  return headers.authorization === undefined && Boolean(headers.cookie && headers["x-environment"]);
}

/** Everything in one process, for development. */
export async function openAll(sets: RouteSets): Promise<Server> {
  const next = await openNext();
  const server = openServer({ routes: await loadForPages(sets), addressOf, rest: next.serve });
  replayUpgrades(server, next.server);
  return server;
}

async function loadForPages({ loadAll }: RouteSets): Promise<Routes> {
  const routes = await loadAll();
  provideToPages(routes);
  return routes;
}

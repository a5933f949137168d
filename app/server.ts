import { setFlagsFromString } from "node:v8";
import * as apiModules from "@/app/api-routes";
import { routesOf } from "@/lib/endpoint/routes";
import { fail, startService } from "@/lib/process/api-process";
import { servePages } from "@/lib/process/pages-process";
import { openPages, type RouteSets } from "@/lib/process/servers";

// One program in two roles. The API process opens the database, answers the API and starts the pages process.
// Pages and their calls have their own process: Next's wrappers of timers and promises slow down everything in it.

const routes: RouteSets = {
  api: routesOf(apiModules),
  loadAll: async () => routesOf(await import("@/app/all-routes")),
};

async function run() {
  const [role, socketPath = ""] = process.argv.slice(2);
  // V8 collects in full once the heap has grown by 30 percent, instead of letting it double and more.
  setFlagsFromString("--heap-growing-percent=30");
  if (role === "pages") return servePages(() => openPages(routes), socketPath);
  return startService(import.meta.filename, routes);
}

run().catch(fail);

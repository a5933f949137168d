import { apiRoutes } from "@/app/api-routes";
import { env } from "@/lib/config/env";
import { failAsChild, serveFor } from "@/lib/process/child-process";
import { fail, startService } from "@/lib/process/first-process";
import { openApi, openPages, type RouteSets } from "@/lib/process/servers";
import { keepHeapSmall } from "@/lib/process/supervisor";

// One program in three roles. The first process opens the database, starts the others and, without workers, answers
// the API. Pages and their calls have their own process: Next's wrappers of timers and promises slow down everything in it.

const routes: RouteSets = {
  api: apiRoutes,
  loadAll: async () => (await import("@/app/all-routes")).allRoutes,
};

async function run() {
  const [role, socketPath = ""] = process.argv.slice(2);
  keepHeapSmall();
  if (role === "pages") return serveFor("pages", () => openPages(routes), { path: socketPath }).catch(failAsChild);
  const { HOST: host, PORT: port } = env();
  if (role === "worker") {
    return serveFor("api", () => openApi(routes, socketPath), { host, port }).catch(failAsChild);
  }
  return startService({ script: import.meta.filename, routes });
}

run().catch(fail);

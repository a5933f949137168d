import * as getOrCreate from "@/app/api/user/get-or-create/route";
import * as user from "@/app/api/user/route";
import * as viewer from "@/app/api/viewer/route";
import * as healthz from "@/app/healthz/route";
import * as metrics from "@/app/metrics/route";
import * as openapi from "@/app/openapi.json/route";
import * as postman from "@/app/postman.json/route";
import * as readyz from "@/app/readyz/route";
import type { RouteModule } from "@/lib/http/node";

/** The paths that the front door answers itself: their methods need nothing of Next. */
export const routes = new Map<string, RouteModule>([
  ["/api/user", { ...user }],
  ["/api/user/get-or-create", { ...getOrCreate }],
  ["/api/viewer", { ...viewer }],
  ["/healthz", { ...healthz }],
  ["/readyz", { ...readyz }],
  ["/metrics", { ...metrics }],
  ["/openapi.json", { ...openapi }],
  ["/postman.json", { ...postman }],
]);

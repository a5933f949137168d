import * as diagnosis from "@/app/api/diagnosis/route";
import * as getOrCreate from "@/app/api/user/get-or-create/route";
import * as user from "@/app/api/user/route";
import * as upsert from "@/app/api/user/upsert/route";
import * as batch from "@/app/api/user-groups/batch/route";
import * as resume from "@/app/api/user-groups/resume/route";
import * as suspend from "@/app/api/user-groups/suspend/route";
import * as viewer from "@/app/api/viewer/route";
import * as healthz from "@/app/healthz/route";
import * as metrics from "@/app/metrics/route";
import * as openapi from "@/app/openapi.json/route";
import * as postman from "@/app/postman.json/route";
import * as readyz from "@/app/readyz/route";
import type { RouteModule } from "@/lib/endpoint/methods";
import { routesOf } from "@/lib/endpoint/routes";

export const apiModules: Record<string, RouteModule> = {
  "/api/user": user,
  "/api/user/get-or-create": getOrCreate,
  "/api/user/upsert": upsert,
  "/api/user-groups/batch": batch,
  "/api/user-groups/suspend": suspend,
  "/api/user-groups/resume": resume,
  "/api/viewer": viewer,
  "/api/diagnosis": diagnosis,
  "/healthz": healthz,
  "/readyz": readyz,
  "/metrics": metrics,
  "/openapi.json": openapi,
  "/postman.json": postman,
};

/** The API, health and metrics routes. */
export const apiRoutes = routesOf(apiModules);

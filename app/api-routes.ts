import * as replaceApiToken from "@/app/api/api-tokens/replace/route";
import * as definitionsFindings from "@/app/api/definitions/findings/route";
import * as definitionsFixes from "@/app/api/definitions/fixes/route";
import * as definitions from "@/app/api/definitions/route";
import * as definitionsSuggestion from "@/app/api/definitions/suggestion/route";
import * as diagnosis from "@/app/api/diagnosis/route";
import * as events from "@/app/api/events/route";
import * as jobApplication from "@/app/api/jobs/[id]/apply/route";
import * as jobCancellation from "@/app/api/jobs/[id]/cancel/route";
import * as jobFailures from "@/app/api/jobs/[id]/failed/route";
import * as jobPiece from "@/app/api/jobs/[id]/pieces/[n]/route";
import * as oneJob from "@/app/api/jobs/[id]/route";
import * as jobRows from "@/app/api/jobs/[id]/rows/route";
import * as jobUndoing from "@/app/api/jobs/[id]/undo/route";
import * as jobs from "@/app/api/jobs/route";
import * as revocations from "@/app/api/revocations/route";
import * as settings from "@/app/api/settings/route";
import * as usage from "@/app/api/usage/route";
import * as endOverlap from "@/app/api/user/end-overlap/route";
import * as getOrCreate from "@/app/api/user/get-or-create/route";
import * as user from "@/app/api/user/route";
import * as upsert from "@/app/api/user/upsert/route";
import * as allowedOrigins from "@/app/api/user-groups/allowed-origins/route";
import * as batch from "@/app/api/user-groups/batch/route";
import * as deleted from "@/app/api/user-groups/deleted/route";
import * as endViews from "@/app/api/user-groups/end-views/route";
import * as exportGroups from "@/app/api/user-groups/export/route";
import * as findByToken from "@/app/api/user-groups/find-by-token/route";
import * as historyCounts from "@/app/api/user-groups/history/counts/route";
import * as historyExport from "@/app/api/user-groups/history/export/route";
import * as history from "@/app/api/user-groups/history/route";
import * as purge from "@/app/api/user-groups/purge/route";
import * as restore from "@/app/api/user-groups/restore/route";
import * as resume from "@/app/api/user-groups/resume/route";
import * as rotate from "@/app/api/user-groups/rotate/route";
import * as userGroups from "@/app/api/user-groups/route";
import * as summary from "@/app/api/user-groups/summary/route";
import * as suspend from "@/app/api/user-groups/suspend/route";
import * as token from "@/app/api/user-groups/token/route";
import * as viewAs from "@/app/api/user-groups/view-as/route";
import * as viewer from "@/app/api/viewer/route";
import * as viewerSettings from "@/app/api/viewer-settings/route";
import * as viewerTokens from "@/app/api/viewer-tokens/route";
import * as deliveries from "@/app/api/webhooks/deliveries/route";
import * as replay from "@/app/api/webhooks/replay/route";
import * as rotateSecret from "@/app/api/webhooks/rotate-secret/route";
import * as webhooks from "@/app/api/webhooks/route";
import * as webhookTest from "@/app/api/webhooks/test/route";
import * as keySet from "@/app/e/[slug]/.well-known/jwks.json/route";
import * as discovery from "@/app/e/[slug]/.well-known/openid-configuration/route";
import * as templateKeySet from "@/app/e/[slug]/[template]/.well-known/jwks.json/route";
import * as healthz from "@/app/healthz/route";
import * as metrics from "@/app/metrics/route";
import * as openapi from "@/app/openapi.json/route";
import * as readyz from "@/app/readyz/route";
import type { RouteModule } from "@/lib/endpoint/routes";
import { routesOf } from "@/lib/endpoint/routes";

export const apiModules: Record<string, RouteModule> = {
  "/api/user": user,
  "/api/user/upsert": upsert,
  "/api/user/end-overlap": endOverlap,
  "/api/user/get-or-create": getOrCreate,
  "/api/user-groups": userGroups,
  "/api/user-groups/summary": summary,
  "/api/user-groups/history": history,
  "/api/user-groups/history/counts": historyCounts,
  "/api/user-groups/history/export": historyExport,
  "/api/user-groups/export": exportGroups,
  "/api/user-groups/suspend": suspend,
  "/api/user-groups/resume": resume,
  "/api/user-groups/deleted": deleted,
  "/api/user-groups/restore": restore,
  "/api/user-groups/purge": purge,
  "/api/user-groups/token": token,
  "/api/user-groups/rotate": rotate,
  "/api/user-groups/find-by-token": findByToken,
  "/api/user-groups/batch": batch,
  "/api/jobs": jobs,
  "/api/jobs/[id]": oneJob,
  "/api/jobs/[id]/pieces/[n]": jobPiece,
  "/api/jobs/[id]/rows": jobRows,
  "/api/jobs/[id]/failed": jobFailures,
  "/api/jobs/[id]/apply": jobApplication,
  "/api/jobs/[id]/cancel": jobCancellation,
  "/api/jobs/[id]/undo": jobUndoing,
  "/api/usage": usage,
  "/api/viewer": viewer,
  "/api/viewer-tokens": viewerTokens,
  "/api/revocations": revocations,
  "/api/user-groups/end-views": endViews,
  "/api/user-groups/allowed-origins": allowedOrigins,
  "/api/viewer-settings": viewerSettings,
  "/e/[slug]/.well-known/jwks.json": keySet,
  "/e/[slug]/.well-known/openid-configuration": discovery,
  "/e/[slug]/[template]/.well-known/jwks.json": templateKeySet,
  "/api/definitions": definitions,
  "/api/definitions/suggestion": definitionsSuggestion,
  "/api/definitions/findings": definitionsFindings,
  "/api/definitions/fixes": definitionsFixes,
  "/api/api-tokens/replace": replaceApiToken,
  "/api/events": events,
  "/api/webhooks": webhooks,
  "/api/webhooks/rotate-secret": rotateSecret,
  "/api/webhooks/test": webhookTest,
  "/api/webhooks/replay": replay,
  "/api/webhooks/deliveries": deliveries,
  "/api/settings": settings,
  "/healthz": healthz,
  "/readyz": readyz,
  "/api/diagnosis": diagnosis,
  "/api/user-groups/view-as": viewAs,
  "/metrics": metrics,
  "/openapi.json": openapi,
};

/** The API, health and metrics routes. */
export const apiRoutes = routesOf(apiModules);

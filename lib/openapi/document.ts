import { createDocument, type oas31 } from "zod-openapi";
import { historyAnswer, historyCounts } from "@/lib/audit/schema";
import { diagnosisAnswer } from "@/lib/doctor/schema";
import { eventsAnswer } from "@/lib/events/schema";
import { foundAnswer, rotatedAnswer, updatedAnswer, viewerAnswer } from "@/lib/groups/answer-schema";
import { groupListAnswer } from "@/lib/groups/list-schema";
import { groupRequest, tokenRotation, viewerQuestion } from "@/lib/groups/schema";
import { summaryAnswer } from "@/lib/groups/summary-schema";
import { batchPaths } from "@/lib/openapi/batch";
import { DEFINITIONS, definitionPaths } from "@/lib/openapi/definitions";
import { EVENTS, eventPaths } from "@/lib/openapi/events";
import { failureAnswer } from "@/lib/openapi/failure";
import { forGenerators } from "@/lib/openapi/for-generators";
import { groupLifePaths } from "@/lib/openapi/group-life";
import { HEADERS } from "@/lib/openapi/header";
import { HEALTH, healthPaths } from "@/lib/openapi/health";
import { JOBS, jobPaths } from "@/lib/openapi/jobs";
import { LIMITS } from "@/lib/openapi/limit";
import { type DeclaredCallers, withScopes } from "@/lib/openapi/scopes";
import { SETTINGS, settingsPaths } from "@/lib/openapi/settings";
import { USER_GROUPS } from "@/lib/openapi/tag";
import { usagePaths } from "@/lib/openapi/usage";
import { userGroupPaths } from "@/lib/openapi/user-group";
import { userGroupListPaths } from "@/lib/openapi/user-group-list";
import { VIEWERS, viewerPaths } from "@/lib/openapi/viewer";
import { viewerTokenPaths } from "@/lib/openapi/viewer-tokens";
import { WEBHOOKS, webhookPaths } from "@/lib/openapi/webhooks";
import { deliveriesAnswer, webhooksAnswer } from "@/lib/webhooks/schema";
import manifest from "@/package.json" with { type: "json" };

/** The API's OpenAPI description, from the schemas of its routes and the callers that they declare. */
export function describeApi(declared: DeclaredCallers): oas31.OpenAPIObject {
  const api = createDocument({
    openapi: "3.1.1",
    info: {
      title: "User group service",
      version: manifest.version,
      description: [
        "Stores user groups, and issues a token for each that identifies the group viewing an embedded dashboard.",
        "Every request needs an API token. A token belongs to one environment and has no access to the others: the same id in two environments means two user groups. It may make the calls that its scopes open; each call names them.",
        "Bodies are I-JSON (RFC 7493): duplicate member names, numbers that JavaScript would change, unpaired surrogates, noncharacters and NUL are refused, as are unknown fields. `mapping` and `properties` are stored exactly as sent.",
        "`If-Match` and `Idempotency-Key` work on the calls that list them. Other changes refuse them with 422, except `PUT` and `POST /api/user` and get-or-create, which ignore them.",
        "Every answer has `Cache-Control: no-store`, except public keys.",
      ].join("\n\n"),
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: "/", description: "The service that serves this description." }],
    security: [{ ApiToken: [] }],
    "x-limits": LIMITS,
    tags: [USER_GROUPS, JOBS, VIEWERS, DEFINITIONS, EVENTS, WEBHOOKS, SETTINGS, HEALTH],
    paths: {
      ...userGroupPaths,
      ...userGroupListPaths,
      ...groupLifePaths,
      ...batchPaths,
      ...jobPaths,
      ...usagePaths,
      ...viewerPaths,
      ...viewerTokenPaths,
      ...definitionPaths,
      ...eventPaths,
      ...webhookPaths,
      ...settingsPaths,
      ...healthPaths,
    },
    components: {
      schemas: {
        UserGroupRequest: groupRequest,
        TokenRotation: tokenRotation,
        FoundUserGroup: foundAnswer,
        UpdatedUserGroup: updatedAnswer,
        RotatedUserGroup: rotatedAnswer,
        ViewerQuestion: viewerQuestion,
        Viewer: viewerAnswer,
        UserGroupList: groupListAnswer,
        UserGroupSummary: summaryAnswer,
        UserGroupHistory: historyAnswer,
        UserGroupHistoryCounts: historyCounts,
        Events: eventsAnswer,
        Webhooks: webhooksAnswer,
        Deliveries: deliveriesAnswer,
        Diagnosis: diagnosisAnswer,
        Failure: failureAnswer,
      },
      headers: HEADERS,
      securitySchemes: {
        ApiToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "The word `Token`, a space and an API token: `Authorization: Token uga_test_…`.",
        },
      },
    },
  });
  return forGenerators(withScopes(api, declared));
}

import { createDocument, type oas31 } from "zod-openapi";
import { diagnosisAnswer } from "@/lib/doctor/schema";
import { foundAnswer, rotatedAnswer, updatedAnswer, viewerAnswer } from "@/lib/groups/answer-schema";
import { groupRequest, tokenRotation, viewerQuestion } from "@/lib/groups/schema";
import { failureAnswer } from "@/lib/openapi/failure";
import { HEADERS } from "@/lib/openapi/header";
import { HEALTH, healthPaths } from "@/lib/openapi/health";
import { LIMITS } from "@/lib/openapi/limit";
import { USER_GROUPS, userGroupPaths } from "@/lib/openapi/user-group";
import { VIEWERS, viewerPaths } from "@/lib/openapi/viewer";
import manifest from "@/package.json" with { type: "json" };

/** The OpenAPI description of the API, made from the schemas that its routes parse with. */
export function describeApi(): oas31.OpenAPIObject {
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "User group service",
      version: manifest.version,
      description: [
        "Keeps user groups, and issues for each the token that says which group views an embedded dashboard.",
        "Every request carries an API token. It belongs to one environment, and sees nothing of the others: the same id in two environments is two user groups.",
        "Bodies are I-JSON (RFC 7493): a member name that stands twice, a number that JavaScript would change, a lone surrogate, a noncharacter and a NUL are refused, and so is an unknown field. `mapping` and `properties` are kept to the letter.",
        "Every answer has `Cache-Control: no-store`.",
      ].join("\n\n"),
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: "/", description: "The service that this comes from." }],
    security: [{ ApiToken: [] }],
    "x-limits": LIMITS,
    tags: [USER_GROUPS, VIEWERS, HEALTH],
    paths: { ...userGroupPaths, ...viewerPaths, ...healthPaths },
    components: {
      schemas: {
        UserGroupRequest: groupRequest,
        TokenRotation: tokenRotation,
        FoundUserGroup: foundAnswer,
        UpdatedUserGroup: updatedAnswer,
        RotatedUserGroup: rotatedAnswer,
        ViewerQuestion: viewerQuestion,
        Viewer: viewerAnswer,
        Diagnosis: diagnosisAnswer,
        Failure: failureAnswer,
      },
      headers: HEADERS,
      securitySchemes: {
        ApiToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description: "The word `Token`, a space, and an API token: `Authorization: Token uga_test_…`.",
        },
      },
    },
  });
}

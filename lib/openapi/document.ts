import { createDocument, type oas31, type ZodOpenApiPathsObject } from "zod-openapi";
import { historyAnswer, historyCounts } from "@/lib/audit/schema";
import { diagnosisAnswer } from "@/lib/doctor/schema";
import { METHODS, type RouteModule } from "@/lib/endpoint/routes";
import { eventsAnswer } from "@/lib/events/schema";
import { foundAnswer, rotatedAnswer, updatedAnswer, viewerAnswer } from "@/lib/groups/answer-schema";
import { groupListAnswer } from "@/lib/groups/list-schema";
import { groupRequest, tokenRotation, viewerQuestion } from "@/lib/groups/schema";
import { summaryAnswer } from "@/lib/groups/summary-schema";
import { completeExamples } from "@/lib/openapi/example";
import { failureAnswer } from "@/lib/openapi/failure";
import { forGenerators } from "@/lib/openapi/for-generators";
import { HEADERS } from "@/lib/openapi/header";
import { headingsOf } from "@/lib/openapi/headings";
import { LIMITS } from "@/lib/openapi/limit";
import { operationOf } from "@/lib/openapi/operation";
import { deliveriesAnswer, webhooksAnswer } from "@/lib/webhooks/schema";
import manifest from "@/package.json" with { type: "json" };

/** The parts of the API, and the paths of their calls. */
const TAGS = [
  {
    name: "User groups",
    description: "Get or create user groups, change, suspend and delete them, and rotate their tokens.",
    paths: /^\/api\/us(?!.*\/(?:end-views|allowed-origins)$)/,
  },
  {
    name: "Jobs",
    description: "Change many groups: by a file, by id, or by a filter. Review what it would do, apply it, undo it.",
    paths: /^\/api\/jobs/,
  },
  {
    name: "Viewers",
    description:
      "For page views: mint viewer tokens, and for renderers of dashboards, identify the viewing group by its token.",
    paths: /^\/api\/(?:viewer|revocations)|\/(?:end-views|allowed-origins)$|^\/e\//,
  },
  { name: "Definitions", description: "Say what every user group must have.", paths: /^\/api\/definitions/ },
  { name: "Events", description: "Follow what changes.", paths: /^\/api\/events/ },
  { name: "Webhooks", description: "Have events sent to you.", paths: /^\/api\/webhooks/ },
  { name: "API tokens", description: "Replace the calling API token.", paths: /^\/api\/api-tokens/ },
  { name: "Settings", description: "Keep an environment's settings in a file.", paths: /^\/api\/settings/ },
  {
    name: "Health",
    description: "For load balancers, watchdogs and `./user-groups doctor`.",
    paths: /^\/(?:healthz|readyz|api\/diagnosis)/,
  },
];

/** The API's OpenAPI description, from the declarations of its calls. */
export function describeApi(modules: Record<string, RouteModule>): oas31.OpenAPIObject {
  const api = createDocument({
    openapi: "3.1.1",
    info: {
      title: "User group service",
      version: manifest.version,
      description: [
        "Stores user groups, and issues a token for each that identifies the group viewing an embedded dashboard.",
        "Every request needs an API token. A token belongs to one environment and has no access to the others: the " +
          "same id in two environments means two user groups. Its scopes decide which calls it may make; each call " +
          "names the ones it needs.",
        "Bodies are I-JSON (RFC 7493): duplicate member names, numbers that JavaScript would change, unpaired " +
          "surrogates, noncharacters and NUL are refused, as are unknown fields. `mapping` and `properties` are " +
          "stored exactly as sent.",
        "`If-Match` and `Idempotency-Key` work on the calls that list them. Other changes refuse them with " +
          "422, except `PUT` and `POST /api/user` and get-or-create, which ignore them.",
        "Every answer has `Cache-Control: no-store`, except public keys.",
      ].join("\n\n"),
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: "/", description: "The service that serves this description." }],
    security: [{ ApiToken: [] }],
    "x-limits": LIMITS,
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths: pathsOf(modules),
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
  return forGenerators(completeExamples(api));
}

/** The files generated from the schemas and the routes' declarations, with their content. */
export function describedFiles(modules: Record<string, RouteModule>): { path: string; text: string }[] {
  const api = describeApi(modules);
  const file = (path: string, content: object) => ({ path, text: `${JSON.stringify(content, null, 2)}\n` });
  return [file("docs/openapi.json", api), file("docs/headings.json", headingsOf(api))];
}

/** The described calls, by tag; within a tag, the shortest paths come first. */
function pathsOf(modules: Record<string, RouteModule>): ZodOpenApiPathsObject {
  const routes = Object.entries(modules).sort(([a], [b]) => a.length - b.length || a.localeCompare(b, "en"));
  const described = TAGS.flatMap(({ name: tag, paths }) =>
    routes.flatMap(([route, module]) => {
      if (!paths.test(route)) return [];
      const path = route.replace(/\[(\w+)\]/g, "{$1}");
      const calls = METHODS.flatMap((method) => {
        const endpoint = module[method];
        const operation = endpoint && operationOf(path, method, endpoint, tag);
        return operation ? [[method.toLowerCase(), operation]] : [];
      });
      return calls.length > 0 ? [[path, Object.fromEntries(calls)]] : [];
    }),
  );
  return Object.fromEntries(described);
}

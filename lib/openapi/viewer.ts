import type { ZodOpenApiPathsObject } from "zod-openapi";
import { viewerAnswer } from "@/lib/groups/answer-schema";
import { viewerQuestion } from "@/lib/groups/schema";
import { failures, otherFailure } from "@/lib/openapi/failure";
import { HEADERS, headers } from "@/lib/openapi/header";

export const VIEWERS = { name: "Viewers", description: "For what renders dashboards: whose token a viewer has shown." };

/** The call of renderers, from the schemas that it parses with. */
export const viewerPaths: ZodOpenApiPathsObject = {
  "/api/viewer": {
    post: {
      tags: [VIEWERS.name],
      operationId: "identifyViewer",
      summary: "Identify a viewer",
      description:
        "For the program that renders a dashboard: it says whose token a viewer has shown. A text that is not the current token of a group in the API token's environment is no error: it is answered with `active` false, and with no word on why. It changes nothing, and a read-only API token is enough. A token that was rotated away is inactive with the next question, so do not keep the answer for long.",
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: viewerQuestion,
            examples: { question: { summary: "What the viewer has shown", value: { token: "ugt_…" } } },
          },
        },
      },
      responses: {
        200: {
          description: "The group, or that it is none's.",
          headers: {
            ...headers("X-Request-Id"),
            ETag: { ...HEADERS.ETag, description: "The state of the group, where there is one.", required: false },
          },
          content: {
            "application/json": {
              schema: viewerAnswer,
              examples: {
                active: {
                  summary: "A current token",
                  value: {
                    success: 1,
                    active: true,
                    user_group: {
                      team_id: 3,
                      provided_id: "example_1",
                      name: "Example 1",
                      mapping: { 40: "213", 134: "386" },
                      properties: { filterValue: "value" },
                      api_environment_tag: "Testing",
                    },
                  },
                },
                inactive: { summary: "Any other text", value: { success: 1, active: false } },
              },
            },
          },
        },
        ...failures(),
        default: otherFailure,
      },
    },
  },
};

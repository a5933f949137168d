import type { ZodOpenApiPathsObject } from "zod-openapi";
import { viewerAnswer } from "@/lib/groups/answer-schema";
import { viewerQuestion } from "@/lib/groups/schema";
import { failures, otherFailure } from "@/lib/openapi/failure";
import { HEADERS, headers } from "@/lib/openapi/header";

export const VIEWERS = {
  name: "Viewers",
  description:
    "For page views: mint viewer tokens, and for renderers of dashboards, identify the viewing group by its token.",
};

/** The renderers' call, from the schemas of its route. */
export const viewerPaths: ZodOpenApiPathsObject = {
  "/api/viewer": {
    post: {
      tags: [VIEWERS.name],
      operationId: "identifyViewer",
      summary: "Identify a viewer",
      description:
        'For the program that renders a dashboard: returns the group of the token that a viewer presented, a user group token or a viewer token. A text that is neither, in the API token\'s environment, is not an error: the answer is `active: false`, with a `reason` only for a token of ours. The call changes nothing. A rotated token becomes inactive immediately, unless the rotation has an overlap: until that ends, the answer has `token_state: "previous"` and `valid_until`. So do not cache the answer for long.',
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: viewerQuestion,
            examples: { question: { summary: "The viewer's token", value: { token: "ugt_…" } } },
          },
        },
      },
      responses: {
        200: {
          description: "The group, or `active: false`.",
          headers: {
            ...headers("X-Request-Id"),
            ETag: { ...HEADERS.ETag, description: "The version of the group, if there is one.", required: false },
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
                previous: {
                  summary: "A replaced token in its overlap",
                  value: {
                    success: 1,
                    active: true,
                    token_state: "previous",
                    valid_until: "2026-11-20T09:00:00.000Z",
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

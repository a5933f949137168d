import type { ZodOpenApiPathsObject } from "zod-openapi";
import { eventsAnswer, eventsInput } from "@/lib/events/schema";
import { operation } from "@/lib/openapi/operation";

/** The tag of the feed. */
export const EVENTS = { name: "Events", description: "Follow what changes." };

const EVENT = {
  ...{ id: "4711", type: "user_group.updated", at: "2026-11-26T08:00:00.000Z" },
  actor: { type: "api_token", id: "1", name: "backend" },
  request_id: "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55",
  data: { team_id: 3, provided_id: "example_1", name: "Example 1", changed: ["properties"] },
};

/** The call about events, from the schemas of its route. */
export const eventPaths: ZodOpenApiPathsObject = {
  "/api/events": {
    get: operation(EVENTS, {
      operationId: "listEvents",
      summary: "List events",
      description:
        "Returns what changed after a cursor, oldest first: each entry of the environment's history exactly once. Store `next_cursor` when you have processed the page, and send it as `after`. Values come only with `include=states`, a token never.",
      query: eventsInput,
      answered: "The events.",
      answer: [eventsAnswer, { success: 1, events: [EVENT], next_cursor: "q7Zl3nQ8Wy…", caught_up: true }],
      errors: ["cursor_gone"],
    }),
  },
};

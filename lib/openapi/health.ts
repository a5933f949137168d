import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { failures } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";

export const HEALTH = { name: "Health", description: "For load balancers and watchdogs. They take no credential." };

const tags = [HEALTH.name];
const status = (value: string, description: string) => ({
  description,
  headers: headers("X-Request-Id"),
  content: {
    "application/json": {
      schema: z.strictObject({ status: z.literal(value) }),
      examples: { [value]: { value: { status: value } } },
    },
  },
});

/** The calls that say how the service is. */
export const healthPaths: ZodOpenApiPathsObject = {
  "/healthz": {
    get: {
      tags,
      operationId: "isAlive",
      summary: "Whether the process lives",
      description: "Whatever the database does.",
      security: [],
      responses: { 200: status("ok", "It does.") },
    },
  },
  "/readyz": {
    get: {
      tags,
      operationId: "isReady",
      summary: "Whether requests can be served",
      description: "The database answers, its migrations are those of this release, and no stop is under way.",
      security: [],
      responses: { 200: status("ready", "They can."), ...failures([], ["unavailable"]) },
    },
  },
};

import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { diagnosisAnswer } from "@/lib/doctor/schema";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";

export const HEALTH = { name: "Health", description: "For load balancers, watchdogs and `npm run doctor`." };

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
  "/api/diagnosis": {
    get: {
      tags,
      operationId: "diagnose",
      summary: "What became of the request on its way",
      description:
        "For whoever has an API token and sets a proxy up: `npm run doctor` asks it, and tells what is wrong with a deployment.",
      responses: {
        200: {
          description: "What the service sees of this request, and of itself.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: diagnosisAnswer,
              examples: {
                behindOneProxy: {
                  summary: "Behind one proxy",
                  value: {
                    success: 1,
                    version: "0.9.0",
                    time: "2026-11-22T06:30:00.000Z",
                    address: "203.0.113.7",
                    forwarded_for: 1,
                    trusted_proxies: 1,
                    host: "groups.example.com",
                    public_url: "https://groups.example.com",
                    is_database_owner: false,
                    has_previous_key: false,
                  },
                },
              },
            },
          },
        },
        ...failures([], BODILESS),
        default: otherFailure,
      },
    },
  },
};

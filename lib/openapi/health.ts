import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { diagnosisAnswer } from "@/lib/doctor/schema";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";
import manifest from "@/package.json" with { type: "json" };

export const HEALTH = { name: "Health", description: "For load balancers, watchdogs and `./user-groups doctor`." };

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

/** The health and diagnosis calls. */
export const healthPaths: ZodOpenApiPathsObject = {
  "/healthz": {
    get: {
      tags,
      operationId: "isAlive",
      summary: "Check that the process is alive",
      description: "Independent of the database.",
      security: [],
      responses: { 200: status("ok", "The process is alive."), ...failures([], ["headers_too_large"]) },
    },
  },
  "/readyz": {
    get: {
      tags,
      operationId: "isReady",
      summary: "Check that the service is ready",
      description: "Ready means that the database is reachable and migrated, and that the service is not stopping.",
      security: [],
      responses: {
        200: status("ready", "The service is ready."),
        ...failures([], ["headers_too_large", "unavailable"]),
      },
    },
  },
  "/api/diagnosis": {
    get: {
      tags,
      operationId: "diagnose",
      summary: "Diagnose proxies",
      description:
        "For setting up proxies: shows the request as the service received it. `./user-groups doctor` uses this call to find problems of a deployment.",
      responses: {
        200: {
          description: "The request as received, and related settings of the service.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: diagnosisAnswer,
              examples: {
                behindOneProxy: {
                  summary: "Behind one proxy",
                  value: {
                    success: 1,
                    version: manifest.version,
                    commit: "0b7f3e0c1d5a49d2c8a6f0e7b1d94c3a5e8f2b60",
                    versions: [manifest.version],
                    time: "2026-11-22T06:30:00.000Z",
                    address: "203.0.113.7",
                    forwarded_for: 1,
                    trusted_proxies: 1,
                    host: "groups.example.com",
                    public_url: "https://groups.example.com",
                    is_database_owner: false,
                    has_previous_key: false,
                    backup: null,
                    feed_lag: { seconds: 0, pid: null, prepared: null },
                    disabled_webhooks: 0,
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

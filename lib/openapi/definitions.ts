import type { ZodOpenApiPathsObject } from "zod-openapi";
import { findingsAnswer } from "@/lib/definitions/findings-schema";
import { definitions, definitionsAnswer, suggestionAnswer } from "@/lib/definitions/schema";
import { fixRequest } from "@/lib/jobs/fix-schema";
import { jobAnswer } from "@/lib/jobs/schema";
import { JOB_EXAMPLE } from "@/lib/openapi/jobs";
import { operation } from "@/lib/openapi/operation";

/** The tag of definitions. */
export const DEFINITIONS = { name: "Definitions", description: "Say what every user group must have." };

const ASKED = {
  properties: { plan: { type: "string", required: true, enum: ["free", "pro"], default: "free" } },
  schemas: { 40: { name: "Orders", required: true } },
  data_sources: { 213: { name: "Orders EU", provided_id: "orders-eu", schemas: ["40"] } },
  enforcement: "report",
};
const PLAN = {
  ...ASKED.properties.plan,
  ...{ description: null, overridable: false, viewer_visible: false },
};
const ANSWERED = {
  success: 1,
  version: 1,
  definitions: { ...ASKED, properties: { plan: PLAN }, unknown_properties: "allow", creations: "report" },
};

const FOUND = {
  ...{ success: 1, checked_at: "2026-11-20T08:00:00.000Z", is_current: true, groups: 1000, definitions_version: 1 },
  findings: [
    {
      ...{ filter: "plan:missing", kind: "missing", member: "properties", name: "plan" },
      ...{ message: "is required", count: 120, like: null },
    },
  ],
  days: [{ day: "2026-11-20", groups: 120 }],
};

/** The calls about definitions, from the schemas of their routes. */
export const definitionPaths: ZodOpenApiPathsObject = {
  "/api/definitions": {
    get: operation(DEFINITIONS, {
      operationId: "getDefinitions",
      summary: "Get the definitions",
      description: "Returns what every group of the environment must have.",
      answered: "The definitions.",
      answer: [definitionsAnswer, ANSWERED],
      etag: '"d-1"',
    }),
    put: operation(DEFINITIONS, {
      operationId: "setDefinitions",
      summary: "Set the definitions",
      description:
        "Replaces the definitions whole: what is omitted is reset. With `enforcement: enforce`, every write that sets a member to a value they refuse, or removes a required one, is answered 422 from then on, also one that is under way. Groups stay as they are.",
      body: [definitions, ASKED],
      answered: "The definitions.",
      answer: [definitionsAnswer, ANSWERED],
      errors: ["stale"],
      etag: '"d-1"',
    }),
  },
  "/api/definitions/suggestion": {
    get: operation(DEFINITIONS, {
      operationId: "suggestDefinitions",
      summary: "Suggest definitions",
      description:
        "Returns the definitions with more that are read off the newest groups, to edit and then set: types, what all have as required, a few shared texts as allowed values, schemas and data sources. What is defined stays. Nothing is changed.",
      answered: "The suggestion.",
      answer: [suggestionAnswer, { success: 1, groups: 1000, definitions: ANSWERED.definitions }],
    }),
  },
  "/api/definitions/findings": {
    get: operation(DEFINITIONS, {
      operationId: "getFindings",
      summary: "Get findings",
      description:
        "Returns what was found in all groups, counted: what the definitions miss in them unless they are off, and what shows only among many. Groups are checked after the definitions or an import changed them, and each hour, small environments more often. Each finding is a condition: `GET /api/user-groups?filter=` lists the groups that have it now.",
      answered: "The findings.",
      answer: [findingsAnswer, FOUND],
    }),
  },
  "/api/definitions/fixes": {
    post: operation(DEFINITIONS, {
      operationId: "fixFinding",
      summary: "Fix a finding",
      description:
        "Begins a job that changes one member of every group with a finding: sets it, removes it, or renames it, which never overwrites another. Its dry run begins right away; then apply it, cancel it, or undo it like any job. At most 200,000 groups at a time.",
      body: [fixRequest, { finding: "plan:missing", set: "free" }],
      answered: "The job, which is being checked.",
      answer: [jobAnswer, { success: 1, job: JOB_EXAMPLE }],
      errors: ["conflict"],
    }),
  },
};

import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { groupById } from "@/lib/groups/schema";
import { answerOrigins } from "@/lib/viewer-tokens/serialize";
import { changeOrigins, readOrigins } from "@/lib/viewer-tokens/service";
import { groupOrigins, groupOriginsAnswer } from "@/lib/viewer-tokens/settings-schema";

export const GET = endpoint({
  operationId: "getAllowedOrigins",
  summary: "Get a group's allowed origins",
  description: "Returns where the group's dashboards may be embedded.",
  access: withScopes("groups:read"),
  input: groupById,
  answered: "The origins.",
  answer: groupOriginsAnswer,
  answerExample: { effective_origins: ["https://customer.example.com"] },
  errors: ["unknown_user_group"],
  handle: async (request) => answerOrigins(await readOrigins(request)),
});

export const PUT = endpoint({
  operationId: "setAllowedOrigins",
  summary: "Set a group's allowed origins",
  description:
    "Sets where the group's dashboards may be embedded, in place of the environment's origins. Renderers enforce it: " +
    "new viewer tokens have the claim `origins`, and `POST /api/viewer` answers `allowed_origins`.",
  access: withScopes("groups:write"),
  input: groupOrigins,
  requestExample: { allowed_origins: ["https://customer.example.com"] },
  answered: "The origins.",
  answer: groupOriginsAnswer,
  answerExample: {
    allowed_origins: ["https://customer.example.com"],
    effective_origins: ["https://customer.example.com"],
  },
  errors: ["unknown_user_group"],
  handle: async (request) => answerOrigins(await changeOrigins(request)),
});

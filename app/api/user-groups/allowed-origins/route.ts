import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { answerOrigins } from "@/lib/viewer-tokens/serialize";
import { groupOrigins, groupOriginsQuery } from "@/lib/viewer-tokens/settings-schema";
import { changeOrigins, readOrigins } from "@/lib/viewer-tokens/views";

export const GET = endpoint({
  access: programs("groups:read"),
  input: groupOriginsQuery,
  handle: async (request) => answerOrigins(await readOrigins(request)),
});

export const PUT = endpoint({
  access: programs("groups:write"),
  conditions: [],
  input: groupOrigins,
  handle: async (request) => answerOrigins(await changeOrigins(request)),
});

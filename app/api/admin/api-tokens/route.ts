import { z } from "zod";
import { newApiToken } from "@/lib/api-tokens/schema";
import { serializeApiTokens, serializeNewToken } from "@/lib/api-tokens/serialize";
import { createApiToken, listApiTokens } from "@/lib/api-tokens/service";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";

export const GET = adminRoute({
  role: "viewer",
  input: z.strictObject({}),
  handle: async ({ caller }) => serializeApiTokens(await listApiTokens(environmentOf(caller))),
});

export const POST = adminRoute({
  role: "admin",
  input: newApiToken,
  handle: async ({ caller, input }) =>
    serializeNewToken(await createApiToken(environmentOf(caller), input, memberAuthor(caller))),
});

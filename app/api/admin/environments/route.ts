import { z } from "zod";
import { memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { newEnvironment } from "@/lib/environments/schema";
import { serializeEnvironment, serializeEnvironments } from "@/lib/environments/serialize";
import { createEnvironment, listEnvironmentDetails } from "@/lib/environments/service";

export const GET = adminRoute({
  role: "viewer",
  input: z.strictObject({}),
  handle: async () => serializeEnvironments(await listEnvironmentDetails()),
});

export const POST = adminRoute({
  role: "owner",
  input: newEnvironment,
  handle: async ({ caller, input }) => serializeEnvironment(await createEnvironment(input, memberAuthor(caller))),
});

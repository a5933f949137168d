import { z } from "zod";
import { adminRoute } from "@/lib/endpoint/admin";
import { listOfferedEnvironments } from "@/lib/environments/service";
import { serializeSession } from "@/lib/members/serialize";

export const GET = adminRoute({
  role: "viewer",
  input: z.strictObject({}),
  handle: async ({ caller }) => serializeSession(caller, await listOfferedEnvironments()),
});

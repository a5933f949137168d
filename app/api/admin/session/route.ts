import { z } from "zod";
import { listOfferedEnvironments } from "@/lib/environments/service";
import { adminRoute } from "@/lib/http/admin";
import { serializeSession } from "@/lib/members/serialize";

export const GET = adminRoute({
  role: "viewer",
  input: z.strictObject({}),
  handle: async ({ caller }) => serializeSession(caller, await listOfferedEnvironments()),
});

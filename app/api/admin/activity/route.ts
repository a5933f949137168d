import { activityQuery } from "@/lib/audit/schema";
import { serializeActivity } from "@/lib/audit/serialize";
import { listActivity } from "@/lib/audit/service";
import { environmentOf } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";

export const GET = adminRoute({
  role: "viewer",
  input: activityQuery,
  handle: async ({ caller, input }) => serializeActivity(await listActivity(environmentOf(caller).id, input)),
});

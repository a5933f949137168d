import { activityQuery } from "@/lib/audit/schema";
import { serializeActivity } from "@/lib/audit/serialize";
import { listActivity } from "@/lib/audit/service";
import { adminRoute } from "@/lib/http/admin";
import { environmentOf } from "@/lib/members/caller";

export const GET = adminRoute({
  role: "viewer",
  input: activityQuery,
  handle: async ({ caller, input }) => serializeActivity(await listActivity(environmentOf(caller).id, input)),
});

import { activityQuery } from "@/lib/audit/schema";
import { serializeActivity } from "@/lib/audit/serialize";
import { listActivity } from "@/lib/audit/service";
import { adminRoute, resource } from "@/lib/http/admin";
import { environmentOf } from "@/lib/members/caller";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  GET: adminRoute({
    role: "viewer",
    input: activityQuery,
    handle: async ({ caller, input }) => serializeActivity(await listActivity(environmentOf(caller).id, input)),
  }),
});

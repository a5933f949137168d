import { environmentSlug, environmentUpdate } from "@/lib/environments/schema";
import { serializeEnvironment } from "@/lib/environments/serialize";
import { deleteEnvironment, updateEnvironment } from "@/lib/environments/service";
import { adminRoute } from "@/lib/http/admin";
import { memberAuthor } from "@/lib/members/caller";

export const PATCH = adminRoute({
  role: "admin",
  input: environmentUpdate,
  handle: async ({ caller, input }) => serializeEnvironment(await updateEnvironment(input, memberAuthor(caller))),
});

export const DELETE = adminRoute({
  role: "owner",
  input: environmentSlug,
  handle: async ({ caller, input }) => {
    await deleteEnvironment(input.slug, memberAuthor(caller));
    return {};
  },
});

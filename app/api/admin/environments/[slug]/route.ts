import { environmentSlug, environmentUpdate } from "@/lib/environments/schema";
import { serializeEnvironment } from "@/lib/environments/serialize";
import { deleteEnvironment, updateEnvironment } from "@/lib/environments/service";
import { adminRoute, resource } from "@/lib/http/admin";
import { memberAuthor } from "@/lib/members/caller";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  PATCH: adminRoute({
    role: "admin",
    input: environmentUpdate,
    handle: async ({ caller, input }) => serializeEnvironment(await updateEnvironment(input, memberAuthor(caller))),
  }),
  DELETE: adminRoute({
    role: "owner",
    input: environmentSlug,
    handle: async ({ caller, input }) => {
      await deleteEnvironment(input.slug, memberAuthor(caller));
      return {};
    },
  }),
});

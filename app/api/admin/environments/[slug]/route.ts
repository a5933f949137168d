import { memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { environmentSlug, environmentUpdate } from "@/lib/environments/schema";
import { serializeEnvironment } from "@/lib/environments/serialize";
import { deleteEnvironment, updateEnvironment } from "@/lib/environments/service";

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

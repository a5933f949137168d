import { memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { done, json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { environmentSlug, environmentUpdate } from "@/lib/environments/schema";
import { deleteEnvironment, updateEnvironment } from "@/lib/environments/service";

export const PATCH = endpoint({
  access: members("admin"),
  input: environmentUpdate,
  handle: async ({ caller, input }) => json({ environment: await updateEnvironment(input, memberAuthor(caller)) }),
});

export const DELETE = endpoint({
  access: members("owner"),
  input: environmentSlug,
  handle: async ({ caller, input }) => done(await deleteEnvironment(input.slug, memberAuthor(caller))),
});

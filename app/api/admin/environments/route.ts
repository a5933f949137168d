import { memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { newEnvironment } from "@/lib/environments/schema";
import { createEnvironment, listEnvironmentDetails } from "@/lib/environments/service";

export const GET = endpoint({
  access: members("viewer"),
  input: noInput,
  handle: async () => json({ environments: await listEnvironmentDetails() }),
});

export const POST = endpoint({
  access: members("owner"),
  input: newEnvironment,
  handle: async ({ caller, input }) => json({ environment: await createEnvironment(input, memberAuthor(caller)) }),
});

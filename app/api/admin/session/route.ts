import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { listOfferedEnvironments } from "@/lib/environments/service";
import { serializeSession } from "@/lib/members/serialize";

export const GET = endpoint({
  access: members("viewer"),
  input: noInput,
  handle: async ({ caller }) => json(serializeSession(caller, await listOfferedEnvironments())),
});

import { listActors } from "@/lib/audit/service";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: members("viewer"),
  input: noInput,
  handle: async () => json(await listActors()),
});

import { z } from "zod";
import { listActors } from "@/lib/audit/service";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: members("viewer"),
  input: z.strictObject({}),
  handle: async () => json(await listActors()),
});

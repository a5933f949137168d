import { z } from "zod";
import { listActors } from "@/lib/audit/service";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";

export const GET = endpoint({
  access: members("viewer"),
  input: z.strictObject({}),
  handle: async () => json(await listActors()),
});

export const HEAD = noHead({ GET });

import { z } from "zod";
import { readFindings } from "@/lib/definitions/findings";
import { answerFindings } from "@/lib/definitions/serialize";
import { readDefinitions } from "@/lib/definitions/service";
import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: programs("groups:read"),
  input: z.strictObject({}),
  handle: async ({ caller: { environment } }) =>
    answerFindings(await readFindings(environment.id), await readDefinitions(environment.id)),
});

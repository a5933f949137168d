import { z } from "zod";
import { findingsOf } from "@/lib/definitions/findings-service";
import { answerFindings } from "@/lib/definitions/serialize";
import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: programs("groups:read"),
  input: z.strictObject({}),
  handle: async ({ caller }) => answerFindings(await findingsOf(caller.environment.id)),
});

import { z } from "zod";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { serializeLoss } from "@/lib/lost-writes/serialize";
import { listLosses } from "@/lib/lost-writes/service";

export const GET = endpoint({
  access: members("owner"),
  input: z.strictObject({}),
  handle: async () => json({ losses: (await listLosses()).map(serializeLoss) }),
});

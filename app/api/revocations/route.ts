import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { revocationsQuery } from "@/lib/viewer-tokens/mint-schema";
import { listRevocations } from "@/lib/viewer-tokens/revocations";
import { answerRevocations } from "@/lib/viewer-tokens/serialize";

export const GET = endpoint({
  access: programs("viewers:ask"),
  input: revocationsQuery,
  handle: async (request) => answerRevocations(await listRevocations(request)),
});

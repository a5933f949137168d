import { copyInput } from "@/lib/comparison/schema";
import { answerCopy } from "@/lib/comparison/serialize";
import { copySettings } from "@/lib/comparison/service";
import { members } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const POST = endpoint({
  access: members("admin"),
  input: copyInput,
  handle: async ({ caller, input }) => answerCopy(await copySettings(caller, input)),
});

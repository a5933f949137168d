import { memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { lossAcceptance } from "@/lib/lost-writes/schema";
import { acceptLosses } from "@/lib/lost-writes/service";

export const POST = endpoint({
  access: members("owner"),
  input: lossAcceptance,
  async handle({ caller, input }) {
    await acceptLosses(input.ids, memberAuthor(caller));
    return json({});
  },
});

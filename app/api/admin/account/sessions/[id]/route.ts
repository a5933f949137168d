import { members } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { endSession } from "@/lib/members/account";
import { sessionId } from "@/lib/members/schema";

export const DELETE = endpoint({
  access: members("viewer"),
  input: sessionId,
  handle: async ({ caller, input: { id } }) => done(await endSession(caller, id)),
});

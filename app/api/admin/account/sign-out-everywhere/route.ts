import { members } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { signOutEverywhere } from "@/lib/members/account";
import { signOutEverywhereInput } from "@/lib/members/schema";

export const POST = endpoint({
  access: members("viewer"),
  input: signOutEverywhereInput,
  handle: async ({ caller, input }) => done(await signOutEverywhere(caller, input)),
});

import { ownPages } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { findLink } from "@/lib/members/link";
import { linkLookUp } from "@/lib/members/schema";
import { serializeLink } from "@/lib/members/serialize";

export const POST = endpoint({
  access: ownPages,
  input: linkLookUp,
  handle: async ({ input: { token } }) => json({ link: serializeLink(await findLink(token)) }),
});

import { publicRoute } from "@/lib/endpoint/public";
import { findLink } from "@/lib/members/link";
import { linkLookUp } from "@/lib/members/schema";
import { serializeLink } from "@/lib/members/serialize";

export const POST = publicRoute({
  input: linkLookUp,
  handle: async ({ input: { token } }) => ({ link: serializeLink(await findLink(token)) }),
});

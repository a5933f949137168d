import { GET } from "@/app/api/user/route";
import { described } from "@/lib/endpoint/endpoint";

export const POST = described(GET, {
  operationId: "getOrCreateUserGroup",
  summary: "Get or create a user group by POST",
  description: "Same as `GET /api/user`, for clients, proxies and CDNs that do not support a GET with a body.",
  bodyNote: undefined,
});

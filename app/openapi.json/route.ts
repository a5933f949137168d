import openapi from "@/docs/openapi.json" with { type: "json" };
import { anyone } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

let body: string | undefined;

/** The API's OpenAPI description. It is public, so it must contain nothing confidential. */
export const GET = endpoint({
  access: anyone,
  handle() {
    body ??= `${JSON.stringify(openapi, null, 2)}\n`;
    return { status: 200, headers: {}, body };
  },
});

import openapi from "@/docs/openapi.json" with { type: "json" };
import postman from "@/docs/postman.json" with { type: "json" };
import { publicUrl } from "@/lib/config/public-url";
import { anyone } from "@/lib/endpoint/access";
import { type Endpoint, endpoint } from "@/lib/endpoint/endpoint";

/** The OpenAPI description of the API. It holds nothing that strangers may not know. */
export const apiDescription = file(() => openapi);

/** The same for Postman, which saves it as a file, with the address of this service. */
export const postmanCollection = file(
  () => ({
    ...postman,
    variable: postman.variable.map((one) => (one.key === "base_url" ? { ...one, value: publicUrl() } : one)),
  }),
  { "Content-Disposition": 'attachment; filename="user-groups.postman.json"' },
);

/** A file that is written when it is first asked for, as only then the settings are there, and kept. */
function file(content: () => object, headers: Record<string, string> = {}): Endpoint {
  let body: string | undefined;
  return endpoint({
    access: anyone,
    handle() {
      body ??= `${JSON.stringify(content(), null, 2)}\n`;
      return { status: 200, headers, body };
    },
  });
}

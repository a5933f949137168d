import openapi from "@/docs/openapi.json" with { type: "json" };
import postman from "@/docs/postman.json" with { type: "json" };
import { publicUrl } from "@/lib/config/public-url";
import { anyone } from "@/lib/endpoint/access";
import { type Endpoint, endpoint } from "@/lib/endpoint/endpoint";

/** The API's OpenAPI description. It is public, so it must contain nothing confidential. */
export const apiDescription = file(() => openapi);

/** The Postman collection, as a download, with this service's URL. */
export const postmanCollection = file(
  () => ({
    ...postman,
    variable: postman.variable.map((one) => (one.key === "base_url" ? { ...one, value: publicUrl() } : one)),
  }),
  { "Content-Disposition": 'attachment; filename="user-groups.postman.json"' },
);

/** A file generated on first request, once the settings are loaded, and cached. */
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

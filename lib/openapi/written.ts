import { describeApi } from "@/lib/openapi/document";
import { toPostman } from "@/lib/openapi/postman";

/** The files generated from the schemas, with their content. */
export function describedFiles(): { path: string; text: string }[] {
  const api = describeApi();
  const file = (path: string, content: object) => ({ path, text: `${JSON.stringify(content, null, 2)}\n` });
  return [file("docs/openapi.json", api), file("docs/postman.json", toPostman(api))];
}

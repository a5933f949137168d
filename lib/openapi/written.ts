import { describeApi } from "@/lib/openapi/document";
import { toPostman } from "@/lib/openapi/postman";

/** The files that are made from the schemas, and what has to be in them. */
export function describedFiles(): { path: string; text: string }[] {
  const api = describeApi();
  const file = (path: string, content: object) => ({ path, text: `${JSON.stringify(content, null, 2)}\n` });
  return [file("docs/openapi.json", api), file("docs/postman.json", toPostman(api))];
}

import type { RouteModule } from "@/lib/endpoint/routes";
import { describeApi } from "@/lib/openapi/document";
import { headingsOf } from "@/lib/openapi/headings";

/** The files generated from the schemas and the routes' declarations, with their content. */
export function describedFiles(modules: Record<string, RouteModule>): { path: string; text: string }[] {
  const api = describeApi(modules);
  const file = (path: string, content: object) => ({ path, text: `${JSON.stringify(content, null, 2)}\n` });
  return [file("docs/openapi.json", api), file("docs/headings.json", headingsOf(api))];
}

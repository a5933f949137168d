// Writes what is generated from the schemas and the routes' declarations: `npm run openapi`.
import { writeFileSync } from "node:fs";
import { describedFiles } from "@/lib/openapi/document";
import { ACCESS_LIST, accessList } from "./fixtures/access-list";
import { apiModules } from "./fixtures/declared-routes";

for (const { path, text } of describedFiles(apiModules)) writeFileSync(path, text);
writeFileSync(ACCESS_LIST, await accessList());

// Writes what is generated from the schemas and the routes' declarations, and how to install a client: `npm run openapi`.
import { readFileSync, writeFileSync } from "node:fs";
import { describedFiles } from "@/lib/openapi/document";
import { installingDocuments, withInstallLines } from "@/tools/release/install-lines";
import { ACCESS_LIST, accessList } from "./fixtures/access-list";
import { apiModules } from "./fixtures/declared-routes";

for (const { path, text } of describedFiles(apiModules)) writeFileSync(path, text);
writeFileSync(ACCESS_LIST, await accessList());
for (const file of installingDocuments()) writeFileSync(file, withInstallLines(readFileSync(file, "utf8")));

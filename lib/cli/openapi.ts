// Writes the API's description from the schemas: `npm run openapi`.
import { writeFileSync } from "node:fs";
import { describedFiles } from "@/lib/openapi/written";

for (const { path, text } of describedFiles()) writeFileSync(path, text);

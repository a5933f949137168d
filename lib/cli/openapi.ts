// Writes the description of the API anew, from the schemas: `npm run openapi`.
import { writeFileSync } from "node:fs";
import { describedFiles } from "@/lib/openapi/written";

for (const { path, text } of describedFiles()) writeFileSync(path, text);

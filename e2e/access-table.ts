// Writes the page of who may call which route: `npm run openapi`.
import { writeFileSync } from "node:fs";
import { ACCESS_TABLE, accessTable } from "./fixtures/access-table";

writeFileSync(ACCESS_TABLE, await accessTable());

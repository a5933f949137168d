import { readFileSync } from "node:fs";
import path from "node:path";
import { processWide } from "@/lib/process-wide";

/** The version of the sources that are run, as package.json has it. */
export function version(): string {
  return processWide("version", () => {
    const file = path.join(/* turbopackIgnore: true */ process.cwd(), "package.json");
    return String(JSON.parse(readFileSync(file, "utf8")).version);
  });
}

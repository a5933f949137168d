import { readFileSync } from "node:fs";
import path from "node:path";
import { once } from "@/lib/config/once";

/** The running version, from package.json. */
export const version = once((): string => {
  const file = path.join(process.cwd(), "package.json");
  return String(JSON.parse(readFileSync(file, "utf8")).version);
});

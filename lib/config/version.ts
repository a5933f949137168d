import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { once } from "@/lib/config/per-process";

/** The running version, from package.json. */
export const version = once((): string => {
  const file = path.join(process.cwd(), "package.json");
  return String(JSON.parse(readFileSync(file, "utf8")).version);
});

/** The commit that the running build was made from, with `-dirty` after changes; null if unknown. */
export const commit = once((): string | null => {
  const file = path.join(process.cwd(), "dist/build.json");
  // `npm run dev` runs the sources, not the last build.
  if (process.env.NODE_ENV !== "production" || !existsSync(file)) return null;
  return JSON.parse(readFileSync(file, "utf8")).commit;
});

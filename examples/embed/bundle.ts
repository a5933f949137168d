import path from "node:path";
import { build } from "esbuild";

/** A script of a page, in one piece. */
export async function bundle(file: string): Promise<string> {
  const entry = path.join(import.meta.dirname, file);
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: "esm" });
  return outputFiles[0]?.text ?? "";
}

import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { packageOf } from "./trace";

interface Notice {
  /** name, version, licence and address */
  line: string;
  text: string;
}

/** The packages in stylesheets, which have no source maps. */
const STYLES = ["@fontsource-variable/inter", "@fontsource-variable/jetbrains-mono", "tailwindcss"];
const RULE = "=".repeat(80);
const NO_TEXT = "The package contains no licence text.";
const FROM_BUNDLES =
  "Contained in the packages above as their publishers built them, which ship no text of their licences.";

/** The notices of every package that these files come from: as they are, or bundled into dist and .next. */
export function noticesOf(files: string[]): string {
  const programs = sourcesIn("dist");
  const folders = new Set(STYLES.map((name) => `node_modules/${name}`));
  const unknown = new Set<string>();
  const isOfProgram = new Set(programs);
  for (const file of [...files, ...programs, ...sourcesIn(".next/server")]) {
    const folder = compiledInNext(file) ?? packageOf(file);
    if (folder === undefined) continue;
    if (isPackage(folder)) folders.add(folder);
    else if (isOfProgram.has(file)) unknown.add(nameOf(file, folder));
  }
  const byText = new Map<string, string[]>();
  for (const { line, text } of [...folders].sort().map(noticeOf)) {
    byText.set(text, [...new Set([...(byText.get(text) ?? []), line])]);
  }
  const parts = [...byText].map(([text, lines]) => `${lines.join("\n")}\n\n${text}`);
  if (unknown.size > 0) parts.push(`${[...unknown].sort().join("\n")}\n\n${FROM_BUNDLES}`);
  parts.push(readFileSync("tools/release/postgresql-licences.txt", "utf8").trimEnd());
  return ["The user group service contains these packages.", ...parts].join(`\n\n${RULE}\n`).concat("\n");
}

/** The sources named by a folder's source maps, as paths relative to the working folder. */
function sourcesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const maps = names.filter((name) => name.endsWith(".map")).map((name) => path.join(folder, name));
  return [...new Set(maps.flatMap((file) => sourcesOf(file, JSON.parse(readFileSync(file, "utf8")))))];
}

interface SourceMap {
  sources?: string[];
  sections?: { map: SourceMap }[];
}

function sourcesOf(file: string, { sources = [], sections = [] }: SourceMap): string[] {
  // Next writes sources as URLs, and appends a space and a note to generated ones.
  const own = sources.map((source) => path.join(path.dirname(file), decodeURIComponent(source.split("%20")[0] ?? "")));
  return [...own, ...sections.flatMap(({ map }) => sourcesOf(file, map))];
}

/** The folder of a package that Next has compiled into itself. */
function compiledInNext(file: string): string | undefined {
  return /^node_modules\/next\/dist\/compiled\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function isPackage(folder: string): boolean {
  return statSync(path.join(folder, "package.json"), { throwIfNoEntry: false }) !== undefined;
}

/** The name of a package that another had bundled, with its version if pnpm's folders contain it. */
function nameOf(file: string, folder: string): string {
  const name = folder.replace(/^.*node_modules\//, "");
  const version = new RegExp(`/\\.pnpm/${name.replace("/", "\\+")}@([^/_(]+)`).exec(file)?.[1];
  return version ? `${name} ${version}` : name;
}

function noticeOf(folder: string): Notice {
  const { name, version, license, homepage, repository } = JSON.parse(
    readFileSync(path.join(folder, "package.json"), "utf8"),
  );
  const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice|copyright)/i.test(file));
  const text = texts.map((file) => readFileSync(path.join(folder, file), "utf8").trim()).join("\n\n");
  const where = repository?.url ?? repository ?? homepage;
  const title = [name, version, license && `(${license?.type ?? license})`].filter(Boolean).join(" ");
  return { line: where ? `${title}, ${where}` : title, text: text || NO_TEXT };
}

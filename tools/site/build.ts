// Builds the documentation site into tools/site/dist/VERSION, next to existing versions: `npm run docs`. `npm run docs
// -- FOLDER` builds it into another folder; DOCS_BASE is the path where that is published, / by default.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { readSite } from "./pages";
import { referencePages } from "./reference";
import { sidebarOf } from "./sidebar";

const SITE = import.meta.dirname;
const ROOT = path.resolve(SITE, "../..");
const SOURCES = path.join(SITE, ".pages");
const DIST = path.resolve(process.argv[2] ?? path.join(SITE, "dist"));

/** Patch releases replace each other, so the version of a site is 1.0, not 1.0.3. */
const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const name = version.split(".").slice(0, 2).join(".");
const base = `${process.env.DOCS_BASE ?? "/"}${name}/`;

rmSync(SOURCES, { recursive: true, force: true });
const site = readSite(ROOT, referencePages());
for (const { route, text } of [...site.pages, ...site.files]) write(`${route}.md`, text);
for (const [address, source] of site.assets) {
  cpSync(path.join(ROOT, source), path.join(SOURCES, "public", address));
}
cpSync(path.join(ROOT, "public/icon.svg"), path.join(SOURCES, "public/icon.svg"));
const sidebar = sidebarOf(site);
mkdirSync(path.join(DIST, name), { recursive: true });
const versions = readdirSync(DIST).filter((folder) => /^\d+\.\d+$/.test(folder));
versions.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
write("settings.json", JSON.stringify({ version: name, versions, sidebar }));

const vitepress = path.join(SITE, "node_modules/vitepress/bin/vitepress.js");
execFileSync(process.execPath, [vitepress, "build", SITE, "--outDir", path.join(DIST, name)], { stdio: "inherit" });

// For agents: each page as Markdown, and their list (https://llmstxt.org).
for (const { route, text } of [...site.pages, ...site.files]) {
  writeFileSync(path.join(DIST, name, `${route}.md`), text.replaceAll(/(?<=\]\(|src=")\//g, base));
}
const lists = sidebar.map(({ text, items = [] }) => {
  const lines = items.map((item) => `- [${item.text}](${base}${item.link?.slice(1) || "index"}.md)`);
  return `\n## ${text}\n\n${lines.join("\n")}\n`;
});
const about = "# User group service\n\n> Which customer sees which data in your embedded dashboards\n";
writeFileSync(path.join(DIST, name, "llms.txt"), about + lists.join(""));

writeFileSync(
  path.join(DIST, "index.html"),
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>User group service</title>
<meta http-equiv="refresh" content="0; url=${versions[0]}/"><a href="${versions[0]}/">Documentation</a></html>\n`,
);

function write(file: string, text: string) {
  mkdirSync(path.dirname(path.join(SOURCES, file)), { recursive: true });
  writeFileSync(path.join(SOURCES, file), text);
}

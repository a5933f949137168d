import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { REFERENCE } from "./reference";

/** A page of the site, made from a Markdown file of the repository. */
export interface Page {
  /** the Markdown file, from the root of the repository */
  source: string;
  /** its address in the site, without an ending */
  route: string;
  title: string;
  /** Markdown with links that work in the site */
  text: string;
}

export interface Site {
  pages: Page[];
  /** other files that pages link to, each shown on a page of its own; the page of their list is among `pages` */
  files: Page[];
  /** files to serve as they are: their address and their source */
  assets: Map<string, string>;
}

/** All other pages are those in docs, and what these link to. */
const FIRST = ["CHANGELOG.md", ".github/CONTRIBUTING.md", "SECURITY.md"];
/** Where the general rule would give two pages one address, or no good one. */
const ROUTES: Record<string, string> = {
  "docs/README.md": "index",
  "SECURITY.md": "security-policy",
  ".github/CONTRIBUTING.md": "contributing",
};
/** On the site, what the description says is on pages. */
const DESCRIPTION = "docs/openapi.json";
const IMAGE = /\.(?:webp|png|svg)$/;
const CODE = /(^ *```.*?^ *```|`[^`\n]+`)/ms;
const LINK = /((?:\]\(|(?:src|srcset|href)="))(?![a-z]+:|#)([^)\s"#]+)(#[^)\s"]*)?/g;
/** A longer file is served as it is. */
const MAX_SHOWN = 64 * 1024;
const LANGUAGES: Record<string, string> = {
  ".conf": "nginx",
  ".cfg": "txt",
  ".service": "ini",
  ".example": "ini",
  "": "txt",
};

/** The pages, and all that they link to, by reading the repository at `root`, and pages that are generated. */
export function readSite(root: string, generated: { path: string; text: string }[]): Site {
  const site: Site = { pages: [], files: [], assets: new Map() };
  const documents = readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.posix.join("docs", name));
  const made = new Map(generated.map((page) => [page.path, page.text]));
  const left = [...FIRST, ...[...documents, ...made.keys()].sort()];
  const seen = new Set(left);
  for (let source = left.shift(); source !== undefined; source = left.shift()) {
    const markdown = made.get(source) ?? readFileSync(path.join(root, source), "utf8");
    const addressOf = (link: string) => {
      const joined = path.posix.join(path.posix.dirname(source ?? ""), link);
      const target = made.has(joined) ? joined : joined === DESCRIPTION ? REFERENCE : targetOf(root, joined);
      if (target.endsWith(".md")) {
        if (!seen.has(target)) left.push(target);
        seen.add(target);
        return `/${routeOf(target)}.md`;
      }
      return placeFile(root, target, site);
    };
    const title = /^# (.*)$/m.exec(markdown)?.[1]?.replaceAll("`", "") ?? source;
    site.pages.push({ source, route: routeOf(source), title, text: rewrite(markdown, addressOf) });
  }
  site.files.sort((a, b) => (a.title < b.title ? -1 : 1));
  const list = site.files.map(({ title, route }) => `- [${title}](/${route}.md)\n`).join("");
  const text = `# Files\n\nFiles of the repository that these pages name.\n\n${list}`;
  site.pages.push({ source: ".", route: "files", title: "Files", text });
  return site;
}

/** A link to a folder is one to its README.md, as on GitHub. */
function targetOf(root: string, link: string): string {
  return statSync(path.join(root, link)).isDirectory() ? path.posix.join(link, "README.md") : link;
}

function routeOf(source: string): string {
  const route = source.replace(/^docs\//, "").replace(/(?:\/README)?\.md$/, "");
  return ROUTES[source] ?? route.toLowerCase();
}

/** Adds a file that is no Markdown; returns its address. */
function placeFile(root: string, source: string, { files, assets }: Site): string {
  const text = IMAGE.test(source) ? "" : readFileSync(path.join(root, source), "utf8");
  if (text === "" || text.length > MAX_SHOWN) {
    const address = `/${IMAGE.test(source) ? source.replace(/^docs\/(?:images\/)?/, "images/") : `files/${source}`}`;
    assets.set(address, source);
    return address;
  }
  const route = `files/${source.replace(/^\./, "").replaceAll(/[^\w/-]/g, "-")}`.toLowerCase();
  if (!files.some((file) => file.route === route)) {
    const extension = path.extname(source);
    const language = LANGUAGES[extension] ?? extension.slice(1);
    const head = "---\nsearch: false\noutline: false\nprev: false\nnext: false\n---\n\n";
    const page = `${head}# ${source}\n\n\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\`\n`;
    files.push({ source, route, title: source, text: page });
  }
  return `/${route}.md`;
}

/** Markdown with each link replaced, except in code, and pictures for both themes of the site. */
function rewrite(markdown: string, addressOf: (link: string) => string): string {
  const prose = (text: string) =>
    text.replaceAll(LINK, (_, before: string, link: string, anchor = "") => `${before}${addressOf(link)}${anchor}`);
  return markdown
    .split(CODE)
    .map((part, at) => (at % 2 === 1 ? part : prose(part)))
    .join("");
}

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
  /** other files that pages link to, each shown on its own page; `pages` has a page that lists them */
  files: Page[];
  /** files to serve as they are: their sources by address */
  assets: Map<string, string>;
}

/** Pages outside docs; all others are in docs, or linked from a page. */
const FIRST = ["CHANGELOG.md", ".github/CONTRIBUTING.md", "SECURITY.md"];
/** Addresses for pages to which the general rule would give a shared or a bad one. */
const ROUTES: Record<string, string> = {
  "docs/README.md": "index",
  "SECURITY.md": "security-policy",
  ".github/CONTRIBUTING.md": "contributing",
};
/** On the site, pages present the content of the description. */
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

/** Reads the pages from the repository at `root`, with all that they link to, and the generated pages. */
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

/** A link to a folder leads to its README.md, as on GitHub. */
function targetOf(root: string, link: string): string {
  return statSync(path.join(root, link)).isDirectory() ? path.posix.join(link, "README.md") : link;
}

function routeOf(source: string): string {
  const route = source.replace(/^docs\//, "").replace(/(?:\/README)?\.md$/, "");
  return ROUTES[source] ?? route.toLowerCase();
}

/** Adds a file that is not Markdown; returns its address. */
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

/** Markdown with each link replaced, except in code, and with pictures for both themes of the site. */
function rewrite(markdown: string, addressOf: (link: string) => string): string {
  const prose = (text: string) =>
    text.replaceAll(LINK, (_, before: string, link: string, anchor = "") => `${before}${addressOf(link)}${anchor}`);
  return markdown
    .split(CODE)
    .map((part, at) => (at % 2 === 1 ? part : prose(part)))
    .join("");
}

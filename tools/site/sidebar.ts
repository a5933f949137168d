import type { Page, Site } from "./pages";

export interface Item {
  text: string;
  link?: string;
  collapsed?: boolean;
  items?: Item[];
}

/** The addresses of each group's pages, in order; a folder stands for all pages in it. Other pages come last. */
const GROUPS: Record<string, string[]> = {
  Start: ["index", "quick-start", "embed-a-dashboard", "go-to-production", "coming-from-explo"],
  Guides: [
    "guides/",
    "dashboard",
    "definitions",
    "group-life",
    "many-groups",
    "import-export",
    "events",
    "webhooks",
    "agents",
    "examples/",
  ],
  Reference: [
    "api",
    "reference",
    "viewer-tokens",
    "renderers",
    "access",
    "commands",
    "clients",
    "clients/",
    "reference/",
  ],
  Operate: ["operations", "deploy", "upgrade", "backup", "security", "security-policy", "reliability"],
};

/** The group that is collapsed at first. */
const FOLDED = "Reference";
/** The page with other pages in a collapsed list below it. */
const PARENT = "files";

/** Every page in a group; pages that no group names come under Later. */
export function sidebarOf({ pages, files }: Site): Item[] {
  const left = new Set(pages);
  const linkTo = ({ title, route }: Page) => ({ text: title, link: route === "index" ? "/" : `/${route}` });
  const itemOf = (page: Page): Item =>
    page.route === PARENT ? { ...linkTo(page), collapsed: true, items: files.map(linkTo) } : linkTo(page);
  const take = (name: string) => {
    const taken = [...left].filter(({ route }) => (name.endsWith("/") ? route.startsWith(name) : route === name));
    for (const page of taken) left.delete(page);
    return taken.map(itemOf);
  };
  const groups = Object.entries(GROUPS).map(([text, names]): Item => {
    const items = names.flatMap(take);
    // With a link, the heading is not a button inside another.
    return text === FOLDED ? { text, link: items[0]?.link ?? "/", collapsed: true, items } : { text, items };
  });
  return [...groups, { text: "Later", items: [...left].map(itemOf) }];
}

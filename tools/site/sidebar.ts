import type { Page, Site } from "./pages";

export interface Item {
  text: string;
  link?: string;
  collapsed?: boolean;
  items?: Item[];
}

/** The pages of each group by their addresses, in their order; a folder is all pages in it. */
const GROUPS: Record<string, string[]> = {
  "Start here": ["what-it-is", "quick-start", "embed-a-dashboard", "go-to-production", "coming-from-explo"],
  "Use it": [
    ...["dashboard", "api", "viewer-tokens", "renderers", "definitions", "group-life", "many-groups"],
    ...["import-export", "events", "webhooks", "access"],
  ],
  "Build with it": ["clients", "clients/", "guides/", "snippets/", "examples/"],
  "Run it": [
    ...["deploy", "configuration", "commands", "upgrade", "operations", "backup", "alerts", "scaling", "growth"],
    ...["high-availability", "next-alone"],
  ],
  "Trust it": [
    ...["security", "security-review", "security-policy", "reliability", "performance", "compatibility"],
    "changelog",
  ],
  "Change it": ["contributing", "architecture", "dependencies", "decisions", "files"],
};

/** Pages with others below them, in a list that opens. */
const FOLDED = ["decisions", "files"];

/** Every page in a group; pages that no group names come under More. */
export function sidebarOf({ pages, files }: Site): Item[] {
  const all = [...pages, ...files];
  const parentOf = ({ route }: Page) => FOLDED.find((name) => route.startsWith(`${name}/`));
  const left = new Set(all.filter((page) => page.route !== "index" && !parentOf(page)));
  const itemOf = (page: Page): Item => {
    const item = { text: page.title, link: `/${page.route}` };
    const items = all.filter((one) => parentOf(one) === page.route).map(itemOf);
    return items.length > 0 ? { ...item, collapsed: true, items } : item;
  };
  const take = (name: string) => {
    const taken = [...left].filter(({ route }) => (name.endsWith("/") ? route.startsWith(name) : route === name));
    for (const page of taken) left.delete(page);
    return taken.map(itemOf);
  };
  const groups = Object.entries(GROUPS).map(([text, names]) => ({ text, items: names.flatMap(take) }));
  return left.size > 0 ? [...groups, { text: "More", items: [...left].map(itemOf) }] : groups;
}

import { readFileSync } from "node:fs";
import { createCssVariablesTheme } from "shiki";
import { defineConfig } from "vitepress";
import { slugOf } from "../slug";

// Written by build.ts.
const { version, versions, sidebar } = JSON.parse(
  readFileSync(new URL("../.pages/settings.json", import.meta.url), "utf8"),
);
/** Where the versions are published, as /docs/. */
const place = process.env.DOCS_BASE ?? "/";
/** The site of another version; the target keeps VitePress from looking for the page in this one. */
const siblingOf = (text: string, folder: string) => ({ text, link: `/../${folder}`, target: "_self" });

export default defineConfig({
  title: "User group service",
  description: "Which customer sees which data in your embedded dashboards",
  lang: "en",
  base: `${place}${version}/`,
  srcDir: ".pages",
  // Those of a service that readers run themselves.
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", href: `${place}${version}/icon.svg`, type: "image/svg+xml" }]],
  markdown: {
    anchor: { slugify: slugOf },
    languageAlias: { conf: "ini", caddyfile: "txt" },
    config(md) {
      // Braces in code are text, not Vue's.
      const render = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (tokens, at, ...rest) => {
        tokens[at]?.attrSet("v-pre", "");
        return render?.(tokens, at, ...rest) ?? "";
      };
    },
    theme: createCssVariablesTheme({ name: "ours", variablePrefix: "--code-" }),
  },
  themeConfig: {
    logo: "/icon.svg",
    nav: [
      {
        text: `Version ${version}`,
        items: [siblingOf("Newest", ""), ...versions.map((name: string) => siblingOf(name, `${name}/`))],
      },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // Named by its text: another name would lack the key.
        translations: { button: { buttonAriaLabel: "" } },
        miniSearch: {
          // The browser gets these functions as text: they use nothing around them.
          searchOptions: {
            /** Pages to start with come first, those of each call last. */
            boostDocument: (id: string) =>
              /\/(?:(?:quick-start|embed-a-dashboard|go-to-production|coming-from-explo)\.html)?#/.test(id)
                ? 1.5
                : /\/reference\//.test(id)
                  ? 0.5
                  : 1,
            /** Of a question only the words that say something, and what others call a group. */
            processTerm: (written: string) => {
              const term = written.toLowerCase();
              const small =
                /^(?:an?|and|are|can|do|does|for|how|i|in|is|it|of|on|the|to|what|where|which|with|works?)$/;
              return /^(?:customer|tenant|organi[sz]ation)s?$/.test(term) ? [term, "group"] : !small.test(term) && term;
            },
          },
        },
      },
    },
    externalLinkIcon: true,
  },
  // The index of the search is one file, loaded when it is first opened. PostCSS is not that of the dashboard.
  vite: { build: { chunkSizeWarningLimit: 2_000 }, css: { postcss: {} } },
});

import { readFileSync } from "node:fs";
import { createCssVariablesTheme } from "shiki";
import { defineConfig } from "vitepress";
import { slugOf } from "../slug";

// Written by build.ts.
const { version, versions, sidebar } = JSON.parse(
  readFileSync(new URL("../.pages/settings.json", import.meta.url), "utf8"),
);
/** The path where the versions are published, such as /docs/. */
const place = process.env.DOCS_BASE ?? "/";
/** The site of another version; the target keeps VitePress from looking for the page in this one. */
const siblingOf = (text: string, folder: string) => ({ text, link: `/../${folder}`, target: "_self" });

export default defineConfig({
  title: "User group service",
  description: "Which customer sees which data in your embedded dashboards",
  lang: "en",
  base: `${place}${version}/`,
  srcDir: ".pages",
  // Localhost links lead to a service that readers run themselves.
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
        // Leaves the button named by its text: a label would lack the shortcut key.
        translations: { button: { buttonAriaLabel: "" } },
        miniSearch: {
          // The browser gets these functions as text, so they must use nothing around them.
          searchOptions: {
            /** Introductory pages come first, pages of single calls last. */
            boostDocument: (id: string) =>
              /\/(?:(?:quick-start|embed-a-dashboard|go-to-production|coming-from-explo)\.html)?#/.test(id)
                ? 1.5
                : /\/reference\//.test(id)
                  ? 0.5
                  : 1,
            /** Drops the small words of a question, and adds "group" to other names for one. */
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
  // The search index is one file, loaded when the search is first opened. PostCSS must not be the dashboard's.
  vite: { build: { chunkSizeWarningLimit: 2_000 }, css: { postcss: {} } },
});

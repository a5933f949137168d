import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import { version } from "@/lib/config/version";
import { callsIn } from "@/lib/openapi/calls";
import { expectAccessible, expectNoSidewaysScrolling } from "../fixtures/browser";
import { type Ended, run } from "../fixtures/run";
import { test as withBrowser } from "../fixtures/with-browser";

/** The path under which versions are published. */
const PLACE = "/docs/";
/** Pages with code that was written for this site. */
const WRITTEN = /^(?:guides\/)?[\w-]+\.html$/;
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

interface Site {
  built: Ended;
  /** the built version, without the older one next to it */
  folder: string;
  url: string;
  /** the addresses of all pages below `url` */
  pages: string[];
}

const test = withBrowser.extend<object, { site: Site }>({
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const dist = await mkdtemp(path.join(tmpdir(), "user-groups-site-"));
      await mkdir(path.join(dist, "0.9"));
      await writeFile(path.join(dist, "0.9/index.html"), "<!doctype html><title>The older version</title>");
      const built = await run("npm", ["run", "docs", "--", dist], { env: { DOCS_BASE: PLACE } });
      const minor = version().replace(/\.\d+$/, "");
      const folder = path.join(dist, minor);
      const files = await readdir(folder, { recursive: true }).catch(() => []);
      const server = createServer(async ({ url = "" }, response) => {
        const { pathname } = new URL(url, "http://site");
        const file = path.join(
          dist,
          decodeURI(pathname.slice(PLACE.length)),
          pathname.endsWith("/") ? "index.html" : "",
        );
        const type = TYPES[path.extname(file)] ?? "application/octet-stream";
        const content = pathname.startsWith(PLACE) ? await readFile(file).catch(() => undefined) : undefined;
        response.writeHead(content ? 200 : 404, { "Content-Type": type }).end(content);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const pages = files.filter((name) => name.endsWith(".html") && name !== "404.html");
      await use({ built, folder, url: `http://127.0.0.1:${port}${PLACE}${minor}/`, pages });
      server.closeAllConnections();
      server.close();
      await rm(dist, { recursive: true });
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

test("it is built without warnings or dead links", ({ site: { built, pages } }) => {
  expect(built, built.stderr).toMatchObject({ code: 0 });
  expect(`${built.stdout}${built.stderr}`).not.toMatch(/warn|error|\(!\)|dead link|not loaded/i);
  expect(pages.length).toBeGreaterThan(50);
});

test("every page is in the sidebar, and every linked anchor exists", async ({ site: { folder, pages } }) => {
  const html = new Map<string, string>();
  for (const page of pages) html.set(page, await readFile(path.join(folder, page), "utf8"));
  const targetsIn = (text: string) =>
    [...text.matchAll(/<a [^>]*href="([^"#]*)(?:#([^"]*))?"/g)].map(([, target = "", anchor]) => ({ target, anchor }));
  const nameOf = (target: string) => target.replace(/^\/docs\/[\d.]+\//, "").replace(/^$/, "index.html");

  const [sidebar = ""] = /<aside class="VPSidebar".*?<\/aside>/s.exec(html.get("index.html") ?? "") ?? [];
  const listed = targetsIn(sidebar).map(({ target }) => nameOf(target));
  expect(pages.filter((page) => !listed.includes(page))).toEqual([]);

  const wrong = [...html].flatMap(([page, text]) =>
    targetsIn(text)
      .filter(({ target, anchor }) => anchor !== undefined && !/^[a-z]+:/.test(target))
      .map(({ target, anchor }) => ({ page, target: target ? nameOf(target) : page, anchor }))
      .filter(({ target, anchor = "" }) => !html.get(target)?.includes(`id="${decodeURIComponent(anchor)}"`)),
  );
  expect(wrong).toEqual([]);
});

test("the search finds how to rotate a token, and no page contacts another host", async ({ page, site: { url } }) => {
  const hosts = new Set<string>();
  const failed: string[] = [];
  page.on("request", (request) => hosts.add(new URL(request.url()).origin));
  page.on("response", (response) => {
    if (response.status() >= 400) failed.push(response.url());
  });
  await page.goto(url);
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.getByRole("searchbox").fill("rotate a token");
  const results = page.getByRole("option");
  await expect(results.filter({ hasText: "Rotate a token" })).toHaveCount(1);
  await results.filter({ hasText: "Rotate a token" }).click();
  await expect(page).toHaveURL(`${url}quick-start.html#6-rotate-a-token`);
  await expect(page.getByRole("heading", { name: "Rotate a token" })).toBeVisible();
  for (const link of ["Embed a dashboard", "Go to production", "Performance", "Changelog"]) {
    await page.getByRole("link", { name: link, exact: true }).first().click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText(link);
  }
  expect([...hosts]).toEqual([new URL(url).origin]);
  expect(failed).toEqual([]);
});

test("the search answers questions in the field's words, pages to start with first", async ({
  page,
  site: { url },
}) => {
  await page.goto(url);
  await page.getByRole("button", { name: "Search" }).first().click();
  for (const [words, first] of [
    ["Is it multi-tenant?", "What it is"],
    ["Does it work with Metabase?", /^\W*(Your renderer|Embed a dashboard)/],
    ["How do I revoke a token?", "Quick start"],
    ["How does row-level security work?", /^\W*(What it is|Embed a dashboard)/],
    ["backup of PostgreSQL", "Backups"],
    ["Where do I put the embed token?", "Embed a dashboard"],
    ["Which customer is viewing?", "What it is"],
  ] as const) {
    await page.getByRole("searchbox").fill(words);
    await expect(page.getByRole("option").first(), words).toContainText(first);
  }
});

test("the API reference has each call of the description, with scopes, fields, errors and examples", async ({
  page,
  site: { url },
}) => {
  await page.goto(`${url}api.html`);
  await page.getByRole("link", { name: "The reference" }).click();
  const calls = callsIn(JSON.parse(await readFile("docs/openapi.json", "utf8")));
  for (const { method, path } of calls) {
    await expect(
      page
        .getByRole("listitem")
        .filter({ hasText: `: ${method} ${path}` })
        .last(),
    ).toBeVisible();
  }
  await page.getByRole("link", { name: "Update a user group", exact: true }).click();
  await expect(page).toHaveURL(`${url}reference/user-groups.html#update-a-user-group`);
  await expect(page.getByRole("heading", { name: "Update a user group" })).toBeVisible();
  const text = (await page.getByRole("main").textContent()) ?? "";
  const [, section = ""] = /Update a user group(.*?)Merge into a user group/s.exec(text) ?? [];
  for (const part of [
    "PUT /api/user",
    "Scopes: groups:write, tokens:read.",
    "If-Match (header, string)",
    "user_group_id (string, required)",
    "404 unknown_user_group: ",
    "curl --request PUT",
    "Python",
  ]) {
    expect(section).toContain(part);
  }
});

test("no code scrolls sideways at 1440 pixels, no line written for these pages is broken, and all fit a phone", async ({
  page,
  site: { url, pages },
}) => {
  test.slow();
  for (const name of pages) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(url + name);
    const { wide, broken } = await page.locator("main").evaluate((main) => {
      for (const details of main.querySelectorAll("details")) details.open = true;
      const blocks = [...main.querySelectorAll<HTMLElement>("div[class*='language-'] pre")];
      const lines = [...main.querySelectorAll<HTMLElement>("div[class*='language-'] .line")];
      const isBroken = (line: Element) =>
        line.getBoundingClientRect().height > 1.5 * Number.parseFloat(getComputedStyle(line).lineHeight);
      return {
        wide: blocks.filter((pre) => pre.scrollWidth > pre.clientWidth).map((pre) => pre.textContent.slice(0, 200)),
        broken: lines.filter((line) => isBroken(line)).map((line) => line.textContent),
      };
    });
    expect.soft(wide, name).toEqual([]);
    // An address has no place to break.
    if (WRITTEN.test(name))
      expect
        .soft(
          broken.filter((line) => !line.includes("https://")),
          name,
        )
        .toEqual([]);
    // Resized, as loading all pages again would take most of the time.
    await page.setViewportSize({ width: 320, height: 640 });
    await test.step(name, () => expectNoSidewaysScrolling(page));
  }
});

test("llms.txt links to every page as Markdown, with links that work", async ({ site: { folder, pages } }) => {
  const linksIn = async (file: string) => {
    const text = await readFile(path.join(folder, file), "utf8");
    return [...text.matchAll(/\]\(\/docs\/[\d.]+\/([^)#]+)/g)].map(([, link = ""]) => link);
  };
  const listed = await linksIn("llms.txt");
  const asMarkdown = pages.filter((page) => !page.startsWith("files/")).map((page) => page.replace(/html$/, "md"));
  expect(listed.toSorted()).toEqual(asMarkdown.toSorted());
  const linked = (await Promise.all(listed.map(linksIn))).flat();
  expect(linked.length).toBeGreaterThan(100);
  expect(linked.filter((link) => !existsSync(path.join(folder, link)))).toEqual([]);
});

test("the menu links to an older version, and the unversioned address to the newest", async ({
  page,
  site: { url },
}) => {
  await page.goto(new URL(PLACE, url).href);
  await expect(page).toHaveURL(url);
  for (const [name, target] of [
    ["Newest", url],
    ["0.9", new URL("../0.9/", url).href],
  ] as const) {
    // Not from the site's own folder.
    await page.goto(`${url}guides/django.html`);
    await page.getByRole("button", { name: /^Version \d/ }).hover();
    await page.getByRole("link", { name, exact: true }).click();
    await expect(page).toHaveURL(target);
  }
  await expect(page).toHaveTitle("The older version");
});

test("axe finds no violations in either theme", async ({ page, site: { url } }) => {
  for (const name of ["quick-start.html", "operations.html"]) {
    await page.goto(url + name);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expectAccessible(page);
  }
});

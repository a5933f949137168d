// Takes every screen at three widths in both themes, and the pictures of the documentation: `npx tsx
// e2e/screenshots.ts`. `npx tsx e2e/screenshots.ts list group/json` takes only the screens whose names begin so.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { ARGS, requireChromium } from "./fixtures/chromium.mjs";
import { quiet } from "./fixtures/quiet";
import { killServices, type ServiceProcess, startService } from "./fixtures/service-process";
import { foreignFile, furnish, importFile, OWNER, USED } from "./fixtures/showcase";

const FOLDER = "screenshots";
const DOCS = "docs/images";
const SIZES = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 320, height: 640 },
];
type Size = (typeof SIZES)[number];
const THEMES = ["light", "dark"] as const;
const LIMIT_MS = 20 * 60_000;
const SCREEN_MS = 20_000;

interface Screen {
  /** the file's name; until the first slash, that of the page */
  name: string;
  /** with :used, :suspended or :rotated for a group's team id */
  path: string;
  /** what is done on the page before it is taken, in order */
  steps?: ((page: Page) => Promise<unknown>)[];
  /** the theme in which it is a picture of the documentation */
  docs?: (typeof THEMES)[number];
  /** taken in full length, rather than what fits the screen */
  isWhole?: true;
  /** the least and the greatest width that has it */
  from?: number;
  to?: number;
  /** its steps change something: done once, at the largest width, which the others follow */
  once?: true;
}

type Role = Parameters<Page["getByRole"]>[0];
/** The first one of this role that is visible. */
const find = (page: Page, role: Role, name?: string | RegExp) => {
  const exact = typeof name === "string";
  return page
    .getByRole(role, { ...(name && { name, exact }) })
    .filter({ visible: true })
    .first();
};
const click = (role: Role, name: string | RegExp) => (page: Page) => find(page, role, name).click();
const check = (name: string) => (page: Page) => page.getByRole("checkbox", { name, exact: true }).check();
const fill = (label: string, text: string) => (page: Page) => page.getByLabel(label, { exact: true }).fill(text);
const shown = (text: string | RegExp) => (page: Page) =>
  page.getByText(text).filter({ visible: true }).first().waitFor();
const key = (keys: string) => (page: Page) => page.keyboard.press(keys);
const upload = (page: Page) => page.getByLabel("Drop a file here, or choose one").setInputFiles(importFile);
const map = async (page: Page) => {
  await page.getByLabel("Drop a file here, or choose one").setInputFiles(foreignFile);
  await click("button", /^Field of licences/)(page);
  await click("menuitemradio", "Property")(page);
  await fill("Property of licences", "seats")(page);
};
/** Selects the first rows. */
const select = (count: number) => async (page: Page) => {
  for (let row = 0; row < count; row++)
    await page
      .getByRole("checkbox", { name: /^Select (?!all)/ })
      .nth(row)
      .check();
};
const scrollTo = (heading: string | RegExp) => (page: Page) =>
  find(page, "heading", heading).evaluate((element) => element.scrollIntoView({ block: "start" }));
const openMenu = (page: Page) => find(page, "button", /^(More|Actions for)/).click();

const groups = "/production/groups";
const used = `${groups}/:used`;
const settings = "/production/settings";
const rules = "/production/data-model?tab=rules";
const filtered = `${groups}?search=ba&filter=plan:is:%22pro%22&sort=name`;
const edited = '{\n  "plan": "pro",\n  "seats": 12345678901234567890,\n  "plan": "free"\n}';

/** Signed out. */
const OPEN: Screen[] = [
  { name: "sign-in", path: "/sign-in" },
  {
    name: "sign-in/refused",
    path: "/sign-in",
    steps: [
      fill("Email", OWNER.email),
      fill("Password", "not this one"),
      click("button", "Sign in"),
      shown(/wrong|not right|incorrect/i),
    ],
  },
];

/** Until there are groups. */
const FIRST: Screen[] = [{ name: "first-run", path: groups }];

const SCREENS: Screen[] = [
  { name: "activity", path: "/production/activity", steps: [click("button", /^Ada Keller changed/)], docs: "light" },
  { name: "activity/time", path: "/production/activity", steps: [click("button", "Any time")] },
  { name: "activity/filter", path: "/production/activity", steps: [click("button", "Filter")] },
  { name: "data-model", path: "/production/data-model", steps: [shown(/^Checked/)] },
  { name: "data-model/fix", path: "/production/data-model", steps: [click("button", /^Fix… contract_ends/)] },
  { name: "data-model/off", path: "/demo/data-model", steps: [shown("Rules are off")] },
  { name: "list/finding", path: `${groups}?filter=contract_ends:missing` },
  { name: "list", path: groups, docs: "light" },
  { name: "list/tab", path: groups, steps: [click("link", /^Never used/)], from: 640 },
  { name: "list/filters", path: filtered },
  { name: "list/filter", path: groups, steps: [click("button", "Filter")] },
  {
    name: "list/filter-operator",
    path: groups,
    steps: [click("button", "Filter"), fill("Property", "plan"), key("Enter"), shown("is missing")],
    from: 640,
  },
  {
    name: "list/filter-value",
    path: groups,
    steps: [
      click("button", "Filter"),
      fill("Property", "plan"),
      key("Enter"),
      click("button", "is"),
      shown("enterprise"),
    ],
    from: 640,
  },
  { name: "list/columns", path: groups, steps: [click("button", "Columns")], from: 640 },
  { name: "list/menu", path: groups, steps: [openMenu] },
  { name: "list/selected", path: groups, steps: [select(3)], from: 640 },
  {
    name: "list/property",
    path: groups,
    steps: [
      select(3),
      click("button", "Property…"),
      fill("Property", "plan"),
      fill("Value", "pro"),
      click("button", "Check"),
      shown(/will change/),
    ],
    from: 640,
  },
  { name: "list/rotate", path: groups, steps: [select(3), click("button", "Rotate…")], from: 640 },
  { name: "list/delete", path: groups, steps: [select(3), click("button", "Delete…")], from: 640 },
  { name: "list/none", path: `${groups}?search=nobody` },
  {
    name: "first-run/group",
    path: "/staging/groups",
    once: true,
    steps: [
      fill("Your id for the customer", "northwind"),
      fill("Name", "Northwind Traders"),
      click("button", "Create group"),
      shown("Northwind Traders was created."),
    ],
  },
  { name: "group", path: used, docs: "light" },
  { name: "group/edited", path: used, steps: [fillRow(2, "60 people")] },
  { name: "group/sheet", path: used, steps: [openRow(2), fill("Value", "60 people")], to: 639 },
  {
    name: "group/conflict",
    path: used,
    steps: [fillRow(2, "61"), changeElsewhere, key("ControlOrMeta+s"), shown(/Choose what to keep/)],
  },
  {
    name: "group/json",
    path: used,
    steps: [
      click("radio", "JSON"),
      (page) => page.locator(".cm-content").first().press("ControlOrMeta+a"),
      (page) => page.keyboard.insertText(edited),
      shown(/^Line 3/),
    ],
  },
  { name: "group/embed", path: `${used}?tab=embed`, docs: "light" },
  { name: "group/plain", path: `${used}?tab=embed`, steps: [click("radio", "Token in page")] },
  { name: "group/visible", path: `${used}?tab=embed`, steps: [click("button", /^Make visible…/)] },
  {
    name: "group/origins",
    path: `${used}?tab=embed`,
    steps: [click("button", /^Change… allowed origins/), click("radio", "Only these origins")],
  },
  { name: "group/end-views", path: used, steps: [openMenu, click("menuitem", "End all views…")] },
  { name: "group/history", path: `${used}?tab=history` },
  { name: "group/revealed", path: used, steps: [click("button", "Reveal token")] },
  { name: "group/state", path: used, steps: [click("button", /^Access: /)] },
  { name: "group/menu", path: used, steps: [openMenu] },
  { name: "group/end-viewer", path: used, steps: [openMenu, click("menuitem", "End one person’s views…")] },
  { name: "group/suspended", path: `${groups}/:suspended` },
  { name: "group/rotate", path: used, steps: [rotate], docs: "light" },
  { name: "group/leaked", path: used, steps: [rotate, click("radio", "It leaked")] },
  {
    name: "group/rotated",
    once: true,
    path: `${groups}/:rotated`,
    steps: [rotate, click("button", "Rotate token"), shown("The token was rotated")],
  },
  { name: "group/overlap", path: `${groups}/:rotated` },
  { name: "group/end-overlap", path: `${groups}/:rotated`, steps: [click("button", /^End now/)] },
  { name: "group/rotate-again", path: `${groups}/:rotated`, steps: [rotate] },
  { name: "group/copy", path: `/staging/groups/new?from=production/:used`, steps: [shown(/^Starts with/)] },
  { name: "group/new", path: `${groups}/new`, isWhole: true },
  {
    name: "group/new-picker",
    path: `${groups}/new`,
    steps: [(page) => page.getByRole("button", { name: /^Data source of 40/ }).click()],
  },
  { name: "group/unknown", path: `${groups}/999999` },
  { name: "deleted", path: `${groups}/deleted` },
  { name: "import", path: `${groups}/import` },
  { name: "import/columns", path: `${groups}/import`, steps: [map] },
  {
    name: "import/mapped",
    path: `${groups}/import`,
    steps: [
      map,
      click("button", /^Empty cells/),
      click("menuitemradio", "Remove the value"),
      click("button", /^Check/),
      shown("Nothing has been changed yet"),
    ],
  },
  {
    name: "import/preview",
    path: `${groups}/import`,
    steps: [upload, shown("Nothing has been changed yet"), click("button", /acme-1/)],
    docs: "light",
  },
  {
    name: "import/apply",
    path: `${groups}/import`,
    steps: [upload, shown("Nothing has been changed yet"), click("button", /^Apply .*…$/)],
  },
  {
    name: "import/done",
    once: true,
    path: "/demo/groups/import",
    steps: [
      upload,
      shown("Nothing has been changed yet"),
      click("button", /^Apply .*…$/),
      click("button", "Apply"),
      shown("The job is done"),
    ],
  },
  { name: "settings/api-tokens", path: `${settings}/api-tokens`, docs: "light" },
  { name: "settings/new-api-token", path: `${settings}/api-tokens`, steps: [click("button", /token$/)] },
  { name: "rules", path: rules, isWhole: true },
  {
    name: "rules/suggested",
    path: "/testing/data-model?tab=rules",
    steps: [click("button", /^Suggest/), shown(/^Read from/)],
  },
  { name: "rules/none", path: "/staging/data-model?tab=rules" },
  {
    name: "rules/property",
    path: rules,
    steps: [click("button", /^plan/), fill("Default", "premium"), click("button", /^Save/)],
    isWhole: true,
  },
  {
    name: "rules/save",
    path: rules,
    steps: [
      click("radio", "Enforce"),
      click("button", /^plan/),
      fill("Default", "free"),
      click("button", "Add property"),
      (page) => page.getByLabel("Name", { exact: true }).last().fill("note"),
      click("button", /^Save/),
    ],
  },
  { name: "settings/webhooks", path: `${settings}/webhooks` },
  { name: "settings/webhook", path: `${settings}/webhooks`, steps: [click("link", /\/hooks/), shown(/^Deliveries$/)] },
  { name: "settings/embedding", path: `${settings}/embedding`, docs: "light" },
  { name: "settings/embedding-keys", path: `${settings}/embedding`, steps: [scrollTo("Signing keys")] },
  {
    name: "settings/embedding-visible",
    path: `${settings}/embedding`,
    steps: [click("switch", /^(seats|currency|contract_ends)/)],
  },
  {
    name: "settings/embedding-template",
    path: `${settings}/embedding`,
    steps: [
      click("button", "Create template"),
      click("button", /^Renderer/),
      click("menuitemradio", "Metabase"),
      (page) => page.locator(".cm-content").first().waitFor(),
    ],
  },
  {
    name: "settings/embedding-snippet",
    path: `${settings}/embedding`,
    steps: [click("button", /^Edit… template cube/), scrollTo("For Cube")],
  },
  {
    name: "settings/embedding-cube",
    path: `${settings}/embedding`,
    steps: [click("button", /^Claim template/), click("menuitemradio", "cube")],
  },
  {
    name: "settings/embedding-revoke",
    path: `${settings}/embedding`,
    steps: [click("button", /^Revoke…/)],
  },
  {
    name: "settings/embedding-code",
    path: `${settings}/embedding`,
    steps: [click("button", /^Change… embed template/)],
  },
  {
    name: "settings/embedding-origins",
    path: `${settings}/embedding`,
    steps: [click("button", /^Change… allowed origins/)],
  },
  {
    name: "settings/embedding-preview",
    path: `${settings}/embedding`,
    steps: [click("button", /^Change… preview page/)],
  },
  { name: "settings/environments", path: `${settings}/environments` },
  {
    name: "settings/compare",
    path: `${settings}/environments`,
    steps: [click("button", /^Compare with…/), check("Rules")],
  },
  {
    name: "settings/apply",
    path: `${settings}/environments`,
    steps: [openMenu, click("menuitem", "Apply settings…")],
  },
  {
    name: "settings/new-environment",
    path: `${settings}/environments`,
    steps: [click("button", "Create environment")],
  },
  { name: "settings/members", path: `${settings}/members` },
  { name: "settings/invite", path: `${settings}/members`, steps: [click("button", "Create invitation")] },
  { name: "settings/account", path: `${settings}/account` },
  { name: "reference", path: "/docs", docs: "dark" },
  { name: "reference/call", path: "/docs#updateUserGroup" },
  { name: "palette", path: groups, steps: [key("ControlOrMeta+k")] },
  {
    name: "palette/found",
    path: groups,
    steps: [
      key("ControlOrMeta+k"),
      (page) => page.getByRole("combobox").fill("labs"),
      (page) => page.getByRole("option").first().waitFor(),
    ],
  },
  {
    name: "palette/none",
    path: groups,
    steps: [key("ControlOrMeta+k"), (page) => page.getByRole("combobox").fill("nobody"), shown(/^Nothing matches/)],
  },
  { name: "palette/action", path: used, steps: [key("ControlOrMeta+k")] },
  { name: "shell/account", path: groups, steps: [click("button", "Your account")] },
  { name: "shell/environments", path: groups, steps: [click("button", /^Environment/)] },
  { name: "shell/keys", path: groups, steps: [key("?")] },
  { name: "not-found", path: "/production/nothing" },
];

/** Opens the sheet of a property on a phone. */
function openRow(row: number) {
  return (page: Page) =>
    page
      .locator(`[data-cell="${row - 1} row"]`)
      .first()
      .click();
}

function fillRow(row: number, text: string) {
  return async (page: Page) => {
    if ((page.viewportSize()?.width ?? 0) >= 640) return fill(`Value, row ${row}`, text)(page);
    await openRow(row)(page);
    await fill("Value", text)(page);
    await click("button", "Done")(page);
  };
}

/** Gives the group of these pictures another number of seats. */
async function changeElsewhere(page: Page) {
  const data = { user_group_id: USED, properties: { seats: page.viewportSize()?.width, plan: "pro" } };
  await page.request.patch("/api/user", { data, headers: { "x-environment": "production" } });
}

/** Opens the question before a rotation; on a phone it is in the menu. */
async function rotate(page: Page) {
  const button = find(page, "button", "Rotate…");
  if (!(await button.isVisible())) await openMenu(page).then(() => find(page, "menuitem", /^Rotate/).click());
  else await button.click();
  await page.getByRole("dialog").waitFor();
}

const wanted = process.argv.slice(2);
/** Pictures of several sizes at the same time come out tiled. */
let turn: Promise<unknown> = Promise.resolve();
const failures: string[] = [];
const end = performance.now() + LIMIT_MS;
const folder = await mkdtemp(path.join(tmpdir(), "user-groups-pictures-"));
const browser = await chromium.launch({ executablePath: await requireChromium(), args: ARGS });
try {
  const started = { DATA_DIR: path.join(folder, "data"), WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };
  const service = await startService(started, { patience: 180_000 });
  const context = await browser.newContext({ baseURL: service.url, reducedMotion: "reduce" });
  context.setDefaultTimeout(SCREEN_MS);
  const link = await printedLink(service);
  await take(context, [
    { name: "set-up", path: link },
    { name: "sign-in/before", path: "/sign-in" },
  ]);
  const signedOut = await browser.newContext({ baseURL: service.url, reducedMotion: "reduce" });
  await setUp(context, link);
  await take(context, FIRST);
  const teamIds = await furnish(context, service, started);
  await take(context, SCREENS, teamIds);
  await take(signedOut, OPEN);
  await service.stop();
} finally {
  await browser.close();
  await killServices();
  await rm(folder, { recursive: true, force: true });
}
if (failures.length > 0) throw new Error(`Not taken:\n${failures.join("\n")}`);

/** The link that the service prints a moment after its start. */
async function printedLink({ said }: ServiceProcess): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const [link] = /\/welcome#ugl_\S+/.exec(said()) ?? [];
    if (link) return link;
    await setTimeout(100);
  }
  throw new Error(`No link was printed: ${said()}`);
}

async function setUp(context: BrowserContext, link: string) {
  const page = await context.newPage();
  await page.goto(link);
  await fill("Name", OWNER.name)(page);
  await fill("Email", OWNER.email)(page);
  await fill("Password", OWNER.password)(page);
  await page.getByRole("button", { name: "Create owner" }).click();
  await page.waitForURL(/\/groups$/);
  await page.close();
}

async function take(context: BrowserContext, screens: Screen[], teamIds: Record<string, number> = {}) {
  for (const screen of screens) {
    const { name, from = 0, to = Number.POSITIVE_INFINITY, once } = screen;
    if (wanted.length > 0 && !wanted.some((one) => name.startsWith(one))) continue;
    if (performance.now() > end) throw new Error(`Out of time, before ${name}.`);
    const place = screen.path.replace(/:(\w+)(?=\?|$)/, (all, id) => String(teamIds[id] ?? all));
    const sizes = SIZES.filter(({ width }) => width >= from && width <= to);
    const visits = once ? [sizes] : sizes.map((size) => [size]);
    await Promise.all(
      visits.map((visit) =>
        visitPage(context, { ...screen, path: place }, visit).catch((error) =>
          failures.push(`${name} ${visit[0]?.width}: ${error}`),
        ),
      ),
    );
  }
}

/** Opens a page at the first of these sizes, and takes it at all of them. */
async function visitPage(context: BrowserContext, screen: Screen, sizes: Size[]) {
  const { path: place, steps = [] } = screen;
  const page = await context.newPage();
  try {
    await page.setViewportSize(sizes[0] as Size);
    const settled = quiet(page);
    await page.goto(place);
    await page.locator("body[aria-busy=true], .animate-pulse").first().waitFor({ state: "detached" });
    await settled;
    for (const step of steps) await step(page);
    for (const size of sizes) {
      const shot = turn.then(() => shoot(page, screen, size));
      turn = shot.catch(() => undefined);
      await shot;
    }
  } finally {
    await page.close();
  }
}

async function shoot(page: Page, { name, docs, isWhole }: Screen, size: Size) {
  await page.setViewportSize(size);
  // A picture of more than the window would repeat what sticks to its edges.
  if (isWhole) await page.setViewportSize({ ...size, height: await heightOf(page) });
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(300);
    const file = name.replace("/", "-");
    const picture = await page.screenshot({
      path: path.join(FOLDER, `${file}-${theme}-${size.width}.png`),
      caret: "hide",
    });
    if (size.width !== SIZES[0]?.width || docs !== theme) continue;
    await writeFile(path.join(DOCS, `${file}.webp`), await asWebp(page.context(), picture));
  }
}

function heightOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const hidden = [...document.querySelectorAll("html, main, main *")]
      .filter((element) => element === document.documentElement || getComputedStyle(element).overflowY === "auto")
      .map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    return window.innerHeight + Math.max(...hidden);
  });
}

/** A half to a third of the PNG's size; the browser has an encoder, Node has none. */
async function asWebp(context: BrowserContext, png: Buffer): Promise<Buffer> {
  const page = await context.newPage();
  const source = `data:image/png;base64,${png.toString("base64")}`;
  const webp = await page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: image.width, height: image.height });
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.88);
  }, source);
  await page.close();
  return Buffer.from(webp.split(",")[1] ?? "", "base64");
}

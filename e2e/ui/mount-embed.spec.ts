import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type BrowserContext, expect, type Frame, mergeTests, type Page } from "@playwright/test";
import { build } from "esbuild";
import { newId } from "../fixtures/api";
import { claimsOf, type ViewerPlace, test as withPlace } from "../fixtures/viewer-place";
import { test as withBrowser } from "../fixtures/with-browser";

// A product's page and a renderer's frame on another site; the service issues tokens of 60 seconds.

const RENDERER = `<!doctype html><title>Renderer</title><script>
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data.type === "user-groups:token") window.token = data.viewer_token;
    if (data.type === "user-groups:ended") window.reason = data.reason;
  });
  parent.postMessage({ type: "user-groups:ready" }, "*");
</script>`;
const PRODUCT = `<!doctype html><title>Product</title><main></main><script src="/client.js"></script><script>
  const fetchToken = async (signal) => {
    const response = await fetch("/viewer-token", { method: "POST", signal });
    if (!response.ok) throw response;
    return response.json();
  };
  const { ended, unmount } = UserGroups.mountEmbed(document.querySelector("main"), { src: RENDERER, fetchToken });
  ended.then((reason) => { window.reason = reason; });
</script>`;

interface Opened {
  context: BrowserContext;
  page: Page;
  /** when the page requested tokens, in milliseconds */
  requests: number[];
  /** the renderer's frame */
  frame(): Frame | undefined;
  /** the frame's token */
  token(): Promise<string | undefined>;
  /** posts a message to the page as the frame does */
  post(message: object): Promise<void>;
}

interface Fixtures {
  group: string;
  open(prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Opened>;
}

const test = mergeTests(withBrowser, withPlace).extend<Fixtures>({
  group: async ({ place }, use) => {
    const id = newId("embedded");
    await place.group({ user_group_id: id });
    await use(id);
  },
  open: async ({ inBrowser: _, browser, place, group }, use) => {
    const client = await script();
    const renderer = await serve("127.0.0.1", (_request, response) => response.end(RENDERER));
    const contexts: BrowserContext[] = [];
    const closers = [renderer.close];
    await use(async (prepare) => {
      const requests: number[] = [];
      const product = await serve("localhost", async ({ url }, response) => {
        if (url === "/client.js") return response.end(client);
        if (url !== "/viewer-token") {
          return response.end(PRODUCT.replace("RENDERER", JSON.stringify(`${renderer.url}/dashboard`)));
        }
        requests.push(Date.now());
        const minted = await place.send("POST", "/api/viewer-tokens", { user_group_id: group, expires_in: 60 });
        return response.writeHead(minted.status).end(minted.text);
      });
      closers.push(product.close);
      const context = await browser.newContext();
      contexts.push(context);
      await prepare?.(context);
      const page = await context.newPage();
      await page.goto(product.url);
      const frame = () => page.frames().find((one) => one.url().startsWith(renderer.url));
      const opened: Opened = {
        context,
        page,
        requests,
        frame,
        token: async () => frame()?.evaluate(() => (window as { token?: string }).token),
        post: async (message) => frame()?.evaluate((data) => window.parent.postMessage(data, "*"), message),
      };
      await expect.poll(opened.token).toBeTruthy();
      return opened;
    });
    for (const context of contexts) await context.close();
    for (const close of closers) close();
  },
});

async function script(): Promise<string> {
  const contents = 'export { mountEmbed } from "./clients/typescript/src/client"';
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "UserGroups",
  });
  return outputFiles[0]?.text ?? "";
}

async function serve(host: string, listener: RequestListener) {
  const server = createServer((request, response) => {
    response.setHeader("Content-Type", request.url === "/client.js" ? "text/javascript" : "text/html");
    return listener(request, response);
  });
  await once(server.listen(0, host), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}`, close: () => void server.close() };
}

const reasonOf = (page: Page | Frame | undefined) => page?.evaluate(() => (window as { reason?: string }).reason);

const isActive = async (place: ViewerPlace, token = "") => (await place.ask(token)).json.active as boolean;

/** Shifts the page's wall clock by this many minutes; `window.shift` is in milliseconds. */
const shiftBy = (minutes: number) => (context: BrowserContext) =>
  context.addInitScript((milliseconds) => {
    const Real = Date;
    const clock = Object.assign(window, { shift: milliseconds });
    const now = () => Real.now() + clock.shift;
    globalThis.Date = class extends Real {
      constructor(...given: [number]) {
        super(...(given.length > 0 ? given : ([now()] as [number])));
      }
      static override now = now;
    } as DateConstructor;
  }, minutes * 60_000);

test("a frame gets its token, and the reason when access ends", async ({ open, place, group }) => {
  const { page, requests, token, frame, post } = await open();
  expect(await isActive(place, await token())).toBe(true);
  const addresses = page.frames().map((one) => one.url());
  expect(addresses.join()).not.toContain("eyJ");
  await place.send("POST", "/api/user-groups/suspend", { user_group_id: group });
  await post({ type: "user-groups:refused", viewer_token: await token() });
  await expect.poll(() => reasonOf(page)).toBe("not_active");
  await expect.poll(() => reasonOf(frame())).toBe("not_active");
  expect(requests).toHaveLength(2);
});

test("only the frame's refusals of its current token count, and a rotation brings it a new one", {
  tag: "@release",
}, async ({ open, place, group }) => {
  const { page, requests, token, post } = await open();
  const first = await token();
  await page.evaluate((given) => {
    const other = document.body.appendChild(document.createElement("iframe"));
    const types = ["user-groups:ready", "user-groups:refused"];
    const messages = types.map((type) => JSON.stringify({ type, viewer_token: given }));
    const say = messages.map((message) => `parent.postMessage(${message}, "*");`).join("");
    other.srcdoc = `<script>onmessage = () => { parent.hasLeaked = true; }; ${say}</script>`;
    window.postMessage({ type: "user-groups:refused", viewer_token: given }, "*");
  }, first);
  for (const viewer_token of [undefined, `${first}-before`]) await post({ type: "user-groups:refused", viewer_token });
  await sleep(5_000);
  expect(requests).toHaveLength(1);
  expect(await page.evaluate(() => "hasLeaked" in window)).toBe(false);

  const { json } = await place.send("GET", "/api/user", { user_group_id: group });
  await place.send("POST", "/api/user", { current_token: json.user_group.token });
  expect(await isActive(place, first)).toBe(false);
  await post({ type: "user-groups:refused", viewer_token: first });
  await expect.poll(token).not.toBe(first);
  expect(await isActive(place, await token())).toBe(true);
  expect(requests).toHaveLength(2);
});

test("a frame redirected to another origin gets no token, and the page is notified once", async ({ open }) => {
  const { page } = await open();
  const elsewhere = await serve("127.0.0.1", (_, response) => response.end(RENDERER));
  const moved = await serve("127.0.0.1", (_, response) => response.writeHead(302, { Location: elsewhere.url }).end());
  await page.evaluate((src) => {
    const { UserGroups } = window as unknown as {
      UserGroups: Pick<typeof import("@/clients/typescript/src/client"), "mountEmbed">;
    };
    const errors: string[] = [];
    Object.assign(window, { errors });
    UserGroups.mountEmbed(document.body, {
      src,
      fetchToken: async () => ({ viewer_token: "secret", expires_in: 60 }),
      onError: (error) => errors.push((error as Error).message),
    });
  }, moved.url);
  const errors = () => page.evaluate(() => (window as unknown as { errors: string[] }).errors);
  await expect.poll(errors).toEqual([`The frame is at ${elsewhere.url}, but src is at ${moved.url}.`]);
  const frame = page.frames().find((one) => one.url().startsWith(elsewhere.url));
  await frame?.evaluate(() => window.parent.postMessage({ type: "user-groups:ready" }, "*"));
  await sleep(1_000);
  expect(await errors()).toHaveLength(1);
  expect(await frame?.evaluate(() => "token" in window)).toBe(false);
  elsewhere.close();
  moved.close();
});

/** The offset of a page's clock in minutes; `sleeps` for one that stops for an hour. */
const CLOCKS = [{ off: 0 }, { off: -60 }, { off: -10 }, { off: 17 }, { off: 60 }, { off: 0, sleeps: true }];
const [LIFE, MEASURED, EVERY, SLEEPS_AT, HOUR] = [60_000, 150_000, 250, 30_000, 3_600_000];

test(
  "a page always has a valid token, whatever its clock says",
  { tag: "@release" },
  async ({ open, place }, testInfo) => {
    test.setTimeout(MEASURED + 120_000);
    const measure = async ({ off, sleeps = false }: { off: number; sleeps?: boolean }) => {
      const { page, requests, token } = await open(shiftBy(off));
      const begun = Date.now();
      const seen = new Set<string>();
      let slept = 0;
      let without = 0;
      for (let last = begun; last - begun < MEASURED; ) {
        await sleep(EVERY);
        if (sleeps && slept === 0 && Date.now() - begun > SLEEPS_AT) {
          slept = Date.now();
          await page.evaluate((hour) => Object.assign(window, { shift: hour }), HOUR);
        }
        const held = (await token()) ?? "";
        if (!seen.has(held)) expect(await isActive(place, held)).toBe(true);
        seen.add(held);
        const now = Date.now();
        // While the page's computer slept, the service's clock advanced by an hour: earlier tokens have expired.
        const { exp, iat } = claimsOf(held);
        if (exp * 1_000 <= now || (iat + 1) * 1_000 < slept) without += now - last;
        last = now;
      }
      const clock = sleeps ? "sleeps an hour" : `${off} min`;
      return { clock, seconds: without / 1_000, requests: requests.length, sleeps };
    };
    const rows = await Promise.all(CLOCKS.map(measure));
    const table = rows.map(({ clock, seconds, requests }) => `${clock}: ${seconds} s without, ${requests} requests`);
    testInfo.annotations.push({ type: "clocks", description: table.join("; ") });
    process.stdout.write(`${table.join("\n")}\n`);
    for (const { clock, seconds, requests, sleeps } of rows) {
      // After waking, recovery takes until the next clock comparison, and a round trip.
      if (sleeps) expect(seconds, clock).toBeLessThan(3);
      else expect(seconds, clock).toBe(0);
      expect(requests, clock).toBeLessThanOrEqual(5);
    }
  },
);

test("a frozen tab and an offline one request a token when they return", { tag: "@release" }, async ({
  open,
  place,
}) => {
  test.setTimeout(LIFE + 120_000);
  const [frozen, offline] = [await open(), await open()];
  const tools = await frozen.context.newCDPSession(frozen.page);
  // Playwright keeps pages visible, so Chromium never freezes them; a paused page runs no script either.
  await tools.send("Debugger.enable");
  await tools.send("Debugger.pause");
  await offline.context.setOffline(true);
  await sleep(LIFE + 5_000);
  expect(frozen.requests).toHaveLength(1);
  expect(offline.requests).toHaveLength(1);
  await tools.send("Debugger.disable");
  await offline.context.setOffline(false);
  for (const { token, requests } of [frozen, offline]) {
    await expect.poll(async () => isActive(place, await token()), { timeout: 6_000 }).toBe(true);
    expect(requests).toHaveLength(2);
  }
});

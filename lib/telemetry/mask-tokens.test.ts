import { expect, test } from "vitest";
import { maskPath } from "./mask-tokens";

const secret = "4TqZ0mWc9xLrB7nYvK2sGdHj8PfUe3AaXi1Co6VtNwMbQkRyE";
const percent = (text: string) => text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
const encoded = (times: number) => Array.from({ length: times }).reduce<string>(percent, secret.slice(0, 3));

test.each([
  [`/ugt_${secret}`, "/ugt_…"],
  [`/UGA_TEST_${secret}?x`, "/UGA_TEST_…?x"],
  [`/%75ga%5Flive_${secret}`, "/uga_live_…"],
  [`/%2575gl_${secret}`, "/ugl_…"],
  ["/hooks/whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/x+y=", "/hooks/whsec_…"],
  [`/a/${secret}/b`, "/a/…/b"],
  ["/view/eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl", "/view/eyJ…"],
  [`/${percent(secret)}`, "/…"],
  [`/${"a/".repeat(97)}${secret}`, `/${"a/".repeat(97)}…`],
  [`/of-a-length/${encoded(7)}`, "/of-a-length/…"],
])("%s is logged as %s", (path, logged) => {
  expect(maskPath(path)).toBe(logged);
});

test.each([
  "/api/user",
  "/production/groups/12/edit",
  "/_next/static/chunks/0a1b2c3d4e5f6071.js",
  "/%E2%82%AC/a-page-of-ours-that-is-long",
  "/100%-of-nothing-in-particular",
  "/a-page/about/keyJson.v2/of-ours",
])("%s is logged unchanged", (path) => {
  expect(maskPath(path)).toBe(path);
});

test.each([
  ["percent signs", "%25"],
  ["signed token prefixes", "eyJ"],
  ["signed tokens without a signature", "eyJ."],
])("a long path of %s is masked quickly", (_, part) => {
  const path = `/${part.repeat(80_000 / part.length)}`;
  const begin = performance.now();
  maskPath(path);
  expect(performance.now() - begin).toBeLessThan(200);
});

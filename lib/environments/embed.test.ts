import { execFileSync } from "node:child_process";
import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import { embedSnippets, fillTemplate } from "@/lib/environments/embed";

const values = { token: "ugt_abc", userGroupId: "acme-1", userGroupName: "Acme", environment: "production" };

const HOSTILE = [
  `it's`,
  `say "hi"`,
  `both ' and "`,
  "</script><script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "$(touch /tmp/x)",
  "`id`",
  `'$(id)'`,
  "$HOME !! #x",
  "back\\slash",
  "ends with \\",
  "'quoted' and ends with \\",
  "a=b&c<d>e",
  "{{userGroupToken}}",
  "$& $1 $` $'",
  "line\u2028separator",
  "__proto__",
  "--data @/etc/passwd",
];

describe("a template", () => {
  const fill = (template: string, properties: unknown = null) => fillTemplate(template, { ...values, properties });

  test("fills in the token, id, name and environment, each as often as it appears", () => {
    const template =
      "{{userGroupToken}} {{ userGroupId }} {{userGroupName}} {{environment}} {{userGroupToken}} {userGroupId}";
    expect(fill(template)).toEqual({ text: "ugt_abc acme-1 Acme production ugt_abc {userGroupId}", missing: [] });
  });

  test.each([
    ["a string without quotes", { plan: "pro" }, "plan", "pro"],
    ["an empty string", { plan: "" }, "plan", ""],
    [
      "a number, a boolean, null, an array, an object as JSON",
      { a: [1, true, null, { b: "c" }] },
      "a",
      '[1,true,null,{"b":"c"}]',
    ],
    ["null", { plan: null }, "plan", "null"],
    ["false", { plan: false }, "plan", "false"],
    ["a nested value", { a: { b: { c: "deep" } } }, "a.b.c", "deep"],
    ["an array's entry", { a: [{ b: "first" }] }, "a.0.b", "first"],
    ["a key with dots before a nested one", { "a.b": "flat", a: { b: "nested" } }, "a.b", "flat"],
    ["a value nested under a key with dots", { "a.b": { c: "under" }, a: { b: { c: "nested" } } }, "a.b.c", "under"],
    ["the shorter key if the longer one has no value", { "a.b": 1, a: { b: { c: "nested" } } }, "a.b.c", "nested"],
    ["a key with spaces", { "my plan": "pro" }, "my plan", "pro"],
    ["a key named __proto__", JSON.parse('{"__proto__":{"x":"own"}}'), "__proto__.x", "own"],
  ])("resolves properties: %s", (_what, properties, key, text) => {
    expect(fill(`<{{properties.${key}}}>`, properties)).toEqual({ text: `<${text}>`, missing: [] });
  });

  test.each([
    ["properties.plan", null],
    ["properties.plan", {}],
    ["properties.plan.x", { plan: "pro" }],
    ["properties.constructor", {}],
    ["properties.__proto__", {}],
    ["properties.a.length", { a: [1] }],
    ["properties", { plan: "pro" }],
    ["properties.", { plan: "pro" }],
    ["userGroupTokn", null],
    ["json userGroupName", null],
  ])("keeps {{%s}} if the group has no such value", (name, properties) => {
    const text = `a {{${name}}} b {{${name}}}`;
    const missing = name.includes(" ") ? [] : [`{{${name}}}`];
    expect(fill(text, properties)).toEqual({ text, missing });
  });

  test("ignores double braces of other languages", () => {
    for (const text of ['<div style={{ color: "red" }} {...props}>', "{{{{", "}}{{", "{{}}", "{{{{}}}}"]) {
      expect(fill(text)).toEqual({ text, missing: [] });
    }
  });

  test.each(HOSTILE)("inserts %j literally", (hostile) => {
    const filled = fillTemplate("[{{properties.x}}|{{userGroupName}}|{{userGroupId}}]", {
      ...values,
      userGroupId: hostile,
      userGroupName: hostile,
      properties: { x: hostile },
    });
    expect(filled).toEqual({ text: `[${hostile}|${hostile}|${hostile}]`, missing: [] });
  });

  test("of 16 KiB is filled immediately, whatever its content", () => {
    const begin = performance.now();
    for (const part of ["{{", "{{a.", "{{properties.", "{{a ", "{{ ", "{{properties.a}}"]) {
      fill(part.repeat(16_384 / part.length), { a: "b" });
      fill(`{{properties.${"a.".repeat(8_000)}}}`, { a: { a: { "a.a": {} } } });
      fill(`{{properties.${" ".repeat(16_000)}`, { a: "b" });
    }
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

describe("embed snippets", () => {
  const of = (userGroupId: string) => embedSnippets({ token: "ugt_abc", userGroupId });

  test("look hand-written for an ordinary group", () => {
    expect(of("acme-1")).toEqual({
      json: '{\n  "userGroupToken": "ugt_abc",\n  "userGroupId": "acme-1"\n}',
      html: '<div data-user-group-token="ugt_abc" data-user-group-id="acme-1"></div>',
      react: '<EmbeddedDashboard userGroupToken="ugt_abc" userGroupId="acme-1" />',
      dotenv: "USER_GROUP_TOKEN=ugt_abc\nUSER_GROUP_ID=acme-1\n",
    });
  });

  test.each(HOSTILE)("contain %j only as a value", (hostile) => {
    const { json, html, react, dotenv } = of(hostile);
    expect(JSON.parse(json)).toEqual({ userGroupToken: "ugt_abc", userGroupId: hostile });
    expect(json).not.toMatch(/[<\u2028]/);

    const [, attribute = ""] =
      /^<div data-user-group-token="ugt_abc" data-user-group-id="([^"<>]*)"><\/div>$/.exec(html) ?? [];
    expect(unescapeHtml(attribute)).toBe(hostile);

    const [, plain, expression] = / userGroupId=(?:"([^"{}&\\]*)"|\{(".*")\}) \/>$/.exec(react) ?? [];
    expect(plain ?? JSON.parse(expression ?? "null")).toBe(hostile);
    expect(react).not.toContain("</");

    const ofFile = parseEnv(dotenv);
    expect(ofFile.USER_GROUP_TOKEN).toBe("ugt_abc");
    if (dotenv.includes("# USER_GROUP_ID")) expect(ofFile.USER_GROUP_ID).toBeUndefined();
    else expect([ofFile.USER_GROUP_ID, sourced(dotenv)]).toEqual([hostile, hostile]);
  });

  test("omit from a .env file only values on which parsers disagree", () => {
    const left = HOSTILE.filter((hostile) => of(hostile).dotenv.includes("# USER_GROUP_ID"));
    expect(left).toEqual([`both ' and "`, `'$(id)'`, "ends with \\", "'quoted' and ends with \\", "$& $1 $` $'"]);
  });
});

function sourced(dotenv: string): string {
  return execFileSync("/bin/sh", ["-c", `${dotenv}printf %s "$USER_GROUP_ID"`], { encoding: "utf8" });
}

function unescapeHtml(text: string): string {
  const named: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => named[entity] ?? entity);
}

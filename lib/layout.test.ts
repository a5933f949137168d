import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "..");
const IMPORT = /(?:from|import\()\s*"@\/([^"]+)"/g;

const map = /```\n(app\/[\s\S]*?)```/.exec(readFileSync(path.join(ROOT, "docs/architecture.md"), "utf8"))?.[1] ?? "";
const rooms = [...map.matchAll(/^(\S+?)\/?(?=\s)/gm)].map(([, room = ""]) => room);

const sources = ["app", "components", "lib"].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`),
);

/** The innermost folder of the map that holds a file. */
function roomOf(file: string): string | undefined {
  const around = rooms.filter((room) => file === room || file.startsWith(`${room}/`));
  return around.toSorted((one, other) => other.length - one.length)[0];
}

test.each(["lib", "components"])("the map in docs/architecture.md names every folder of %s", (parent) => {
  const entries = readdirSync(path.join(ROOT, parent), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${parent}/${name}`);
  expect(rooms.filter((room) => room.startsWith(`${parent}/`)).toSorted()).toEqual(folders.toSorted());
});

test("lib has no loose files", () => {
  const files = readdirSync(path.join(ROOT, "lib"), { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).toSorted()).toEqual(["errors.ts", "layout.test.ts"]);
});

test("a folder imports only from folders below it on the map", () => {
  const wrong = sources.flatMap((file) => {
    const from = rooms.indexOf(roomOf(file) ?? "");
    return [...readFileSync(path.join(ROOT, file), "utf8").matchAll(IMPORT)]
      .map(([, target = ""]) => target)
      .filter((target) => {
        const room = roomOf(target);
        return room !== undefined && rooms.indexOf(room) < from;
      })
      .map((target) => `${file} imports ${target}`);
  });
  expect(sources.length).toBeGreaterThan(200);
  expect(wrong).toEqual([]);
});

test("a name is exported only once in lib, so that it is unambiguous", () => {
  const files = new Map<string, string[]>();
  for (const file of sources.filter((one) => one.startsWith("lib/"))) {
    const text = readFileSync(path.join(ROOT, file), "utf8");
    for (const [, name = ""] of text.matchAll(/^export (?:async )?(?:function\*?|const|class|let) (\w+)/gm)) {
      files.set(name, [...new Set([...(files.get(name) ?? []), file])]);
    }
  }
  expect([...files].filter(([, places]) => places.length > 1)).toEqual([]);
});

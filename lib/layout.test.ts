import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "..");
const IMPORT = /(?:^(?:import|export) (type )?[^;]*?from |import\()\s*"(@|\.{1,2})(\/[^"]+)"/gm;

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

/** The files that each file imports, without extensions. */
const imports = new Map(
  sources.map((file) => [
    file.replace(/\.tsx?$/, ""),
    [...readFileSync(path.join(ROOT, file), "utf8").matchAll(IMPORT)].map(([, type, base = "", target = ""]) => ({
      isType: type !== undefined,
      target: path.join(base === "@" ? "" : path.dirname(file), base === "@" ? target.slice(1) : base + target),
    })),
  ]),
);

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
  const wrong = [...imports].flatMap(([file, its]) => {
    const from = rooms.indexOf(roomOf(file) ?? "");
    return its
      .filter(({ target }) => {
        const room = roomOf(target);
        return room !== undefined && rooms.indexOf(room) < from;
      })
      .map(({ target }) => `${file} imports ${target}`);
  });
  expect(imports.size).toBeGreaterThan(200);
  expect(wrong).toEqual([]);
});

test("imports form no circles, except for types", () => {
  const done = new Set<string>();
  const circleFrom = (file: string, above: string[]): string[] | undefined => {
    if (above.includes(file)) return [...above.slice(above.indexOf(file)), file];
    if (done.has(file)) return undefined;
    const values = (imports.get(file) ?? []).filter(({ isType }) => !isType);
    const circle = values.map(({ target }) => circleFrom(target, [...above, file])).find(Boolean);
    done.add(file);
    return circle;
  };
  expect([...imports.keys()].map((file) => circleFrom(file, [])).filter(Boolean)).toEqual([]);
});

/** Not a component that is exported again, by the same name, to load on demand. */
const VALUE = /^export (?:async )?(?:function\*?|const|class|let) (\w+)\b(?! = \w+\.part\()/gm;
const TYPE = /^export (?:type|interface) (\w+)/gm;

test.each([
  ["a name is", "lib", VALUE, ["lib/"]],
  ["a name is", "components", VALUE, ["components/"]],
  ["a type is", "lib and components", TYPE, ["lib/", "components/"]],
])("%s exported only once in %s", (_what, _where, exported, folders) => {
  const files = new Map<string, string[]>();
  for (const file of sources.filter((one) => folders.some((folder) => one.startsWith(folder)))) {
    const text = readFileSync(path.join(ROOT, file), "utf8");
    for (const [, name = ""] of text.matchAll(exported)) {
      files.set(name, [...new Set([...(files.get(name) ?? []), file])]);
    }
  }
  expect([...files].filter(([, places]) => places.length > 1)).toEqual([]);
});

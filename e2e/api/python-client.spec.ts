import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PRESETS } from "@/lib/db/scopes";
import { createEnvironment } from "../fixtures/admin-client";
import { test as base, expect, newId } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { type Ended, run } from "../fixtures/run";

const has = (...args: string[]) => spawnSync("python3", args).status === 0;
const isRecent = has("-c", "import sys; sys.exit(sys.version_info < (3, 9))");
// Before 70.1, setuptools builds nothing without the package wheel.
const canInstall =
  isRecent &&
  has(
    "-c",
    "import setuptools, pip\nif tuple(map(int, setuptools.__version__.split('.')[:2])) < (70, 1): import wheel",
  );
const hasMypy = has("-m", "mypy", "--version");

interface Fixtures {
  /** what a program needs to call the service, in an environment of its own */
  environment: { BASE_URL: string; TOKEN: string; PYTHONPATH: string; LC_ALL: string };
}

const test = base.extend<Fixtures, { installed: string }>({
  // As pip installs it where it can; otherwise its sources.
  installed: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), "python-client-"));
      // pip builds next to the sources.
      cpSync("clients/python", path.join(folder, "source"), { recursive: true });
      const target = path.join(folder, "installed");
      if (canInstall) {
        const options = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--target", target];
        expect(await python(["-m", "pip", "install", ...options, path.join(folder, "source")])).toMatchObject({
          code: 0,
        });
      } else cpSync("clients/python/src", target, { recursive: true });
      await use(target);
      rmSync(folder, { recursive: true });
    },
    { scope: "worker" },
  ],
  environment: async ({ stage, database, installed }, use) => {
    const environment = await createEnvironment(database);
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    const TOKEN = await insertApiToken(settings, { environment, scopes: PRESETS.full });
    await use({ BASE_URL: stage.urls[0], TOKEN, PYTHONPATH: installed, LC_ALL: "C.UTF-8" });
  },
});

// One worker, which installs the package once.
test.describe.configure({ mode: "default" });
test.skip(!isRecent, "python3 is not installed, or older than 3.9");

function python(args: string[], env: Record<string, string> = {}, cwd?: string): Promise<Ended> {
  return run("python3", args, { env: { PYTHONDONTWRITEBYTECODE: "1", ...env }, ...(cwd && { cwd }) });
}

test("every call of the Python client, its errors, retries and deadline", { tag: "@release" }, async ({
  environment,
}) => {
  const ended = await python(["-W", "error", "clients/python/tests/test_client.py"], environment);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toMatch(/Ran 2\d tests/);
});

test("the examples of its README run", async ({ environment, installed }) => {
  const readme = await readFile("clients/python/README.md", "utf8");
  const examples = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, text = ""]) => text);
  expect(examples.length).toBeGreaterThan(3);
  const source = examples.join("\n").replaceAll("https://groups.example.com", environment.BASE_URL);
  const env = { ...environment, USER_GROUPS_API_TOKEN: environment.TOKEN };
  const ended = await python(["-c", source.replaceAll("acme-1", newId())], env, installed);
  expect(ended, ended.stderr).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(/^ugt_\w+ is new\neyJ[\w.-]+\n\{'plan': 'free', 'seats': 10\}\n/);
});

test("its sources are Python 3.9", async () => {
  const compiled =
    "import ast, pathlib; [ast.parse(p.read_text(), feature_version=(3, 9)) for p in pathlib.Path('src').rglob('*.py')]";
  expect(await python(["-c", compiled], {}, "clients/python")).toMatchObject({ code: 0, stderr: "" });
});

test("an installed package holds its types", async ({ installed }) => {
  test.skip(!canInstall, "python3 has no pip, or no setuptools that builds packages");
  const files =
    "import user_groups, pathlib; print(*sorted(p.name for p in pathlib.Path(user_groups.__path__[0]).glob('*.*')))";
  const { stdout } = await python(["-c", files], { PYTHONPATH: installed }, installed);
  expect(stdout.trim().split(" ")).toEqual([
    "__init__.py",
    "client.py",
    "errors.py",
    "events.py",
    "fields.py",
    "imports.py",
    "pages.py",
    "py.typed",
    "transport.py",
    "types.py",
    "webhooks.py",
  ]);
});

test("the package holds against mypy's strict rules", async () => {
  test.skip(!hasMypy, "mypy is not installed");
  const checked = await python(["-m", "mypy", "--cache-dir", "/dev/null", "src"], {}, "clients/python");
  expect(checked.code, checked.stdout).toBe(0);
});

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { SCOPES } from "@/lib/authority/scopes";
import "../../clients/python/types.mjs";
import { createEnvironment } from "../fixtures/admin-client";
import { test as base, expect } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { type Ended, run } from "../fixtures/run";
import { pythonsThatRun } from "../fixtures/snippets";

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
// Before 70.1, setuptools builds only with the package wheel.
const BUILDER =
  "import setuptools, pip\nif tuple(map(int, setuptools.__version__.split('.')[:2])) < (70, 1): import wheel";
const recent = pythonsThatRun("import sys; sys.exit(sys.version_info < (3, 9))");
const builder = recent.find((program) => has(program, "-c", BUILDER));
const [interpreter = "python3"] = builder ? [builder] : recent;
const withJwt = recent.find((program) => has(program, "-c", "import jwt, cryptography"));
const hasMypy = has(interpreter, "-m", "mypy", "--version");

/** Builds the release files: the sdist, and the wheel from the sdist's sources only. */
const BUILD = `
import os, pathlib, sys, tarfile
from setuptools import build_meta
dist = sys.argv[1]
name = build_meta.build_sdist(dist)
tarfile.open(pathlib.Path(dist, name)).extractall(dist)
os.chdir(pathlib.Path(dist, name.removesuffix(".tar.gz")))
build_meta.build_wheel(dist)`;

interface Fixtures {
  /** settings for a program that calls the service in a new environment */
  environment: { BASE_URL: string; TOKEN: string; PYTHONPATH: string; LC_ALL: string; ENVIRONMENT: string };
}

const test = base.extend<Fixtures, { installed: string }>({
  // Installed by pip if possible, otherwise from source.
  installed: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), "python-client-"));
      const [dist, target] = [path.join(folder, "dist"), path.join(folder, "installed")];
      // A build leaves files next to the sources.
      cpSync("clients/python", path.join(folder, "source"), { recursive: true });
      mkdirSync(dist);
      if (builder) {
        const built = await python(["-c", BUILD, dist], {}, path.join(folder, "source"));
        expect(built.code, built.stderr).toBe(0);
        const wheel = path.join(dist, readdirSync(dist).find((name) => name.endsWith(".whl")) ?? "");
        const options = ["--no-index", "--no-deps", "--quiet", "--target", target];
        expect(await python(["-m", "pip", "install", ...options, wheel])).toMatchObject({ code: 0 });
      } else cpSync("clients/python/src", target, { recursive: true });
      await use(target);
      rmSync(folder, { recursive: true });
    },
    { scope: "worker" },
  ],
  environment: async ({ stage, database, installed }, use) => {
    const environment = await createEnvironment(database);
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    const TOKEN = await insertApiToken(settings, { environment, scopes: SCOPES });
    await use({ BASE_URL: stage.urls[0], TOKEN, PYTHONPATH: installed, LC_ALL: "C.UTF-8", ENVIRONMENT: environment });
  },
});

// One worker, which installs the package once.
test.describe.configure({ mode: "default" });
test.skip(recent.length === 0, "python3 is not installed, or older than 3.9");

function python(args: string[], env: Record<string, string> = {}, cwd?: string): Promise<Ended> {
  return run(interpreter, args, { env: { PYTHONDONTWRITEBYTECODE: "1", ...env }, ...(cwd && { cwd }) });
}

test("every call of the Python client, its errors, retries and deadline", { tag: "@release" }, async ({
  environment,
}) => {
  const ended = await python(["-W", "error", "clients/python/tests/test_client.py"], environment);
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).toMatch(/Ran 2\d tests/);
});

/** Completes the README's webhook example: a request signed as by the service. */
const RECEIVE = `
import base64, hashlib, hmac, time
body, now = b'{"type":"user_group.created","data":{"provided_id":"acme-9"}}', str(int(time.time()))
key = base64.b64decode(secret[6:])
signature = base64.b64encode(hmac.new(key, b"msg_1." + now.encode() + b"." + body, hashlib.sha256).digest()).decode()
signed = {"Webhook-Id": "msg_1", "Webhook-Timestamp": now, "Webhook-Signature": "v1,AAAA v1," + signature}
assert receive(body, signed) == 204
for wrong in ({}, {**signed, "Webhook-Id": "msg_2"}, {**signed, "Webhook-Id": "\\udce9"}, {**signed, "Webhook-Timestamp": str(int(now) - 301)}, {**signed, "Webhook-Timestamp": "9" * 400}, {**signed, "Webhook-Signature": "v1,é"}):
    assert receive(body, wrong) == 400
assert receive(body + b" ", signed) == 400`;

/** The README's programs, for this service. */
async function examplesOf({ BASE_URL, ENVIRONMENT }: Fixtures["environment"]) {
  const readme = await readFile("clients/python/README.md", "utf8");
  const examples = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, text = ""]) =>
    text
      .replaceAll("https://groups.example.com/e/production", `${BASE_URL}/e/${ENVIRONMENT}`)
      .replaceAll("https://groups.example.com", BASE_URL)
      // Uncommitted transactions of other tests delay the feed.
      .replace(/^feed = /m, 'while len(user_groups.events()["events"]) < 2: pass\n$&'),
  );
  expect(examples.length).toBeGreaterThan(7);
  return examples;
}

const needsJwt = (example: string) => example.startsWith("import jwt");

test("the examples of its README run", async ({ environment, installed }) => {
  const examples = await examplesOf(environment);
  const source = [...examples.filter((example) => !needsJwt(example)), RECEIVE].join("\n");
  const secrets = { USER_GROUPS_API_TOKEN: environment.TOKEN, WEBHOOK_SECRET: "whsec_c2VjcmV0" };
  const ended = await python(["-c", source], { ...environment, ...secrets }, installed);
  expect(ended, ended.stderr).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(/^ugt_\w+ is new\neyJ[\w.-]+\n\{'plan': 'free', 'seats': 10\}\n/);
  expect(ended.stdout).toMatch(/\nuser_group\.created acme-1\nuser_group\.updated acme-1\n/);
  expect(ended.stdout).toMatch(/\nunknown_user_group 404 /);
  expect(ended.stdout).toMatch(/\nuser_group\.created acme-9\n$/);
});

test("its README verifies a viewer token offline", async ({ environment, installed }) => {
  test.skip(!withJwt, "Python with PyJWT is not installed");
  const examples = await examplesOf(environment);
  const source = [examples[0], ...examples.filter(needsJwt)].join("\n");
  const paths = [installed, path.resolve("examples/verify")].join(":");
  const env = { ...environment, USER_GROUPS_API_TOKEN: environment.TOKEN, PYTHONPATH: paths };
  const ended = await run(withJwt ?? "", ["-c", source], { env: { ...env, PYTHONDONTWRITEBYTECODE: "1" } });
  expect(ended, ended.stderr).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(/\n\d+ \{\}\n$/);
});

test("its sources are valid Python 3.9", async () => {
  const compiled =
    "import ast, pathlib; [ast.parse(p.read_text(), feature_version=(3, 9)) for p in pathlib.Path('src').rglob('*.py')]";
  expect(await python(["-c", compiled], {}, "clients/python")).toMatchObject({ code: 0, stderr: "" });
});

test("the sdist and the wheel have the sources, types, licence, README and metadata", async ({ installed }) => {
  test.skip(!builder, "Python has no pip, or no setuptools that builds packages");
  const dist = path.join(installed, "../dist");
  const sources = readdirSync("clients/python/src/user_groups").filter((name) => name.includes("."));
  expect(sources).toContain("py.typed");
  const [wheel = "", sdist = ""] = [".whl", ".tar.gz"].map((end) =>
    readdirSync(dist).find((name) => name.endsWith(end)),
  );
  expect(wheel).toMatch(/^user_groups_client-\d+\.\d+\.\d+-py3-none-any\.whl$/);
  const inWheel = await python(["-m", "zipfile", "-l", path.join(dist, wheel)]);
  for (const name of sources) expect(inWheel.stdout).toContain(`user_groups/${name} `);
  expect(inWheel.stdout).toMatch(/dist-info\/(licenses\/)?LICENSE /);
  const inSdist = await python(["-m", "tarfile", "-l", path.join(dist, sdist)]);
  for (const name of ["LICENSE", "README.md", "pyproject.toml"]) expect(inSdist.stdout).toContain(`/${name}`);
  for (const name of sources) expect(inSdist.stdout).toContain(`/src/user_groups/${name}`);
  const shown = "from importlib import metadata; print(metadata.distribution('user-groups-client').metadata)";
  const { stdout } = await python(["-c", shown], { PYTHONPATH: installed });
  expect(stdout).toContain(`Version: ${wheel.split("-")[1]}\n`);
  for (const line of ["License: MIT", "Requires-Python: >=3.9", "Description-Content-Type: text/markdown"]) {
    expect(stdout).toContain(`${line}\n`);
  }
  expect(stdout).toContain("Classifier: Typing :: Typed\n");
  expect(stdout).not.toContain("Private");
});

test("the package passes mypy's strict rules", async () => {
  test.skip(!hasMypy, "mypy is not installed");
  const checked = await python(["-m", "mypy", "--cache-dir", "/dev/null", "src"], {}, "clients/python");
  expect(checked.code, checked.stdout).toBe(0);
});

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const read = (file: string) => readFileSync(file, "utf8");
const manifest = JSON.parse(read("package.json"));
const step = z.object({ uses: z.string().optional(), run: z.string().optional() });
const job = z.object({
  permissions: z.record(z.string(), z.string()),
  uses: z.string().optional(),
  steps: z.array(step).default([]),
  needs: z.union([z.string().transform((name) => [name]), z.array(z.string())]).default([]),
});
const workflow = z
  .object({
    on: z.object({ push: z.strictObject({ tags: z.array(z.string()) }) }),
    permissions: z.strictObject({}),
    jobs: z.record(z.string(), job),
  })
  .parse(parse(read(".github/workflows/release.yml")));
const jobs = Object.entries(workflow.jobs);
const steps = jobs.flatMap(([, { steps }]) => steps);
const runs = steps.flatMap(({ run }) => run ?? []);

test("a release has one version in every place", () => {
  const { version } = manifest;
  const lock = JSON.parse(read("package-lock.json"));
  expect({
    lock: [lock.version, lock.packages[""].version],
    description: JSON.parse(read("docs/openapi.json")).info.version,
    typescript: JSON.parse(read("clients/typescript/package.json")).version,
    python: /^version = "(.*)"$/m.exec(read("clients/python/pyproject.toml"))?.[1],
    changelog: /^## \[(\d.*?)\]/m.exec(read("CHANGELOG.md"))?.[1],
  }).toEqual({
    lock: [version, version],
    description: version,
    typescript: version,
    python: version,
    changelog: version,
  });
});

test("actions are pinned by commit, with their version", () => {
  const lines = read(".github/workflows/release.yml").match(/uses: .*/g) ?? [];
  const others = lines.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line));
  expect(others).toEqual(["uses: ./.github/workflows/ci.yml"]);
  expect(parse(read(".github/workflows/ci.yml")).on).toHaveProperty("workflow_call");
});

test("each job has only the permissions it needs", () => {
  expect(Object.fromEntries(jobs.map(([name, { permissions }]) => [name, permissions]))).toEqual({
    test: { contents: "read" },
    assets: { contents: "read" },
    image: { contents: "read", packages: "write" },
    npm: { "id-token": "write" },
    pypi: { "id-token": "write" },
    publish: { attestations: "write", contents: "write", "id-token": "write", packages: "write" },
  });
});

test("nothing is published before both gates pass", () => {
  const waitsForTests = (name: string): boolean =>
    workflow.jobs[name]?.needs.some((other) => other === "test" || waitsForTests(other)) ?? false;
  expect(jobs.map(([name]) => name).filter((name) => name !== "test" && !waitsForTests(name))).toEqual([]);
  const gates = parse(read(".github/workflows/ci.yml")).jobs;
  const commands = Object.values(z.record(z.string(), job.pick({ steps: true })).parse(gates)).flatMap(
    ({ steps }) => steps,
  );
  const ran = commands.map(({ run }) => run);
  expect(ran).toContain("npm test");
  expect(ran).toContainEqual(expect.stringMatching(/^npm run test:release -- \$\{\{ matrix\.projects \}\}$/));
  // In parts, each on a separate machine.
  const all = /"release" \? \[(.*?)\]/.exec(read("e2e/all.mjs"))?.[1]?.match(/[\w-]+/g);
  expect(gates.release.strategy.matrix.projects.join(" ").split(" ")).toEqual(all);
});

const hasGit = spawnSync("git", ["--version"]).status === 0;

test.skipIf(!hasGit)(
  "a patch of an older minor release does not become the latest",
  { meta: { skipped: "needs git" } },
  () => {
    const folder = mkdtempSync(join(tmpdir(), "releases-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd: folder, encoding: "utf8" }).trim();
    const tagged = (tag: string) => {
      run("git", "tag", tag);
      return run("sh", resolve("tools/release/dist-tag.sh"), tag);
    };
    run("git", "init", "--quiet");
    run(
      "git",
      "-c",
      "user.name=A",
      "-c",
      "user.email=a@example.com",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "One",
    );
    expect(["v1.0.0", "v1.9.0", "v1.10.0", "v1.9.1", "v1.10.1"].map(tagged)).toEqual([
      "latest",
      "latest",
      "latest",
      "release-1.9",
      "latest",
    ]);
  },
);

test("its commands are valid for bash, refer to existing files, and contain no untrusted text", () => {
  expect(runs.length).toBeGreaterThan(10);
  expect(runs.filter((run) => run.includes("${{"))).toEqual([]);
  for (const run of runs) execFileSync("bash", ["-n"], { input: run });
  const scripts = runs.flatMap((run) => [...run.matchAll(/\bsh (\S+\.sh)/g)].map(([, name = ""]) => name));
  expect(scripts).toContain("tools/release/assets.sh");
  for (const name of scripts) expect(existsSync(name), name).toBe(true);
});

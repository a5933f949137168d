import { execFileSync } from "node:child_process";
import { access, chmod, readFile } from "node:fs/promises";
import path from "node:path";
import { listFiles, makeModules } from "../fixtures/checkout";
import { clientOf } from "../fixtures/client";
import { carryOut, dockerContext, type Image } from "../fixtures/dockerfile";
import { isLong } from "../fixtures/long";
import { expect, test } from "../fixtures/own-service";
import { assembleRelease, COMMIT } from "../fixtures/release";
import { run } from "../fixtures/run";
import { freePort, type ServiceProcess } from "../fixtures/service-process";

const files = listFiles();
const SECRET_KEY = "c0".repeat(32);

test.skip(!files, "this is no git checkout: there is nothing to build an image from");
test.setTimeout(600_000);

/** Whether a Docker daemon responds; the client alone builds nothing. */
function hasDocker(): boolean {
  try {
    execFileSync("docker", ["version", "--format", "{{.Server.Version}}"], { stdio: "ignore", timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

test("the Dockerfile's commands build the service, run it as a user who owns none of it, and stop it on SIGTERM", async ({
  start,
  folder,
  createDatabase,
}) => {
  test.skip(hasDocker(), "Docker builds it in the next test");
  const isRoot = process.getuid?.() === 0;
  test.skip(!isRoot && process.getuid?.() !== 1000, "neither root nor the user of the image");
  const context = dockerContext(files ?? [], await readFile(".dockerignore", "utf8"));
  expect(context).toEqual(expect.arrayContaining(["lib/config/env.ts", "prisma/schema.prisma", ".npmrc"]));
  expect(context.filter((file) => /^(e2e|bench|clients\/python|\.env|\.git)/.test(file))).toEqual([".env.example"]);
  await chmod(folder, 0o711);

  const image = await carryOut(folder, context, {
    standIns: { "npm ci": makeModules, ...(!isLong && { "npm run release": assembleRelease }) },
    buildArgs: { SOURCE_COMMIT: COMMIT },
  });
  expect(image.env).toMatchObject({ HOST: "0.0.0.0", PORT: "3000", NODE_ENV: "production" });
  expect(image.user).toBe("1000:1000");
  for (const gone of ["app", "lib", "node_modules/@biomejs", "node_modules/esbuild", ".next/cache"]) {
    await expect(access(path.join(image.workdir, gone))).rejects.toThrow("ENOENT");
  }

  const [uid = "", gid = ""] = image.user.split(":");
  const drop = isRoot ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"] : [];
  const settings = { ...image.env, DATABASE_URL: await createDatabase(), SECRET_KEY, HOST: "127.0.0.1" };
  const service = await start(
    { ...settings, PORT: String(await freePort()) },
    { command: [...drop, ...image.command], cwd: image.workdir },
  );
  expect(service.said()).not.toContain("Building");
  const asUser = (...args: string[]) =>
    execute([...drop, ...args], image, { ...settings, PORT: new URL(service.url).port });

  const made = await asUser("./user-groups", "api-token", "create", "--name", "container");
  expect(made).toMatchObject({ code: 0, stderr: "" });
  await expectToServe(service, made.stdout.trim());
  expect(await asUser(...image.healthcheck)).toMatchObject({ code: 0 });
  expect((await asUser("sh", "-c", "touch user-groups || touch /root/x || touch dist/x")).code).not.toBe(0);
  expect((await asUser("sh", "-c", "touch .data/x")).code).toBe(0);

  expect(await service.stop()).toBe(0);
  expect((await asUser(...image.healthcheck)).code).toBe(1);
});

function execute(words: string[], { workdir }: Image, env: Record<string, string>) {
  const [program = "", ...args] = words;
  return run(program, args, { cwd: workdir, env });
}

async function expectToServe({ url }: Pick<ServiceProcess, "url">, token: string) {
  expect((await clientOf(url, token).get("in a container")).json).toMatchObject({ success: 1, new_user_group: true });
  const page = await fetch(`${url}/sign-in`);
  expect(page.status).toBe(200);
  const [, script = ""] = /src="(\/_next\/[^"]+\.js)"/.exec(await page.text()) ?? [];
  expect((await fetch(url + script)).status).toBe(200);
}

test("Docker builds the image, and a container serves, becomes healthy and stops", async ({ createDatabase }) => {
  test.skip(!hasDocker(), "Docker is not running here");
  const tag = `user-group-service:test-${process.pid}`;
  const port = String(await freePort());
  const docker = (...args: string[]) => run("docker", args);
  expect(await docker("build", "--tag", tag, ".")).toMatchObject({ code: 0 });
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY, HOST: "127.0.0.1", PORT: port };
  const variables = Object.entries(settings).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const hardened = ["--network=host", "--init", "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL"];
  const { stdout: id } = await docker("run", "--detach", ...hardened, ...variables, tag);
  const container = id.trim();
  try {
    const state = async (what: string) => (await docker("inspect", "--format", `{{${what}}}`, container)).stdout.trim();
    await expect.poll(() => state(".State.Health.Status"), { timeout: 120_000 }).toBe("healthy");
    const made = await docker("exec", container, "./user-groups", "api-token", "create", "--name", "container");
    await expectToServe({ url: `http://127.0.0.1:${port}` }, made.stdout.trim());
    await docker("stop", "--time", "15", container);
    expect(await state(".State.ExitCode")).toBe("0");
  } finally {
    await docker("rm", "--force", container);
    await docker("rmi", "--force", tag);
  }
});

import { expect, SECRET_KEY, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";

const INVITE = ["member", "invite", "ada@example.com", "--role", "admin"];
const linkOn = (url: string) => expect.stringMatching(new RegExp(`^${url.replaceAll(".", "\\.")}/welcome#\\S+\n$`));

test("a link begins with the running service's address, whatever its port", async ({ start, dataDir }) => {
  const service = await start({ DATA_DIR: dataDir });
  await expect.poll(() => service.said()).toContain("User group service running at");
  expect(await command(INVITE, { DATA_DIR: dataDir })).toEqual({ code: 0, stdout: linkOn(service.url), stderr: "" });
  const reset = await command(["member", "reset-password", "ada@example.com"], { DATA_DIR: dataDir });
  expect(reset.code).toBe(1);

  const PUBLIC_URL = "https://groups.example.com";
  const named = await command(INVITE, { DATA_DIR: dataDir, PUBLIC_URL });
  expect(named).toEqual({ code: 0, stdout: linkOn(PUBLIC_URL), stderr: "" });

  const wild = await command(INVITE, { DATA_DIR: dataDir, HOST: "0.0.0.0" });
  expect(wild).toMatchObject({ code: 0, stdout: linkOn(service.url) });
  expect(wild.stderr).toContain("The service listens on every address");

  const later = await start({ DATA_DIR: dataDir });
  await expect.poll(() => later.said()).toContain(`The service at ${service.url} uses the same data.`);
  expect(await service.stop()).toBe(0);
  expect(await command(INVITE, { DATA_DIR: dataDir })).toEqual({ code: 0, stdout: linkOn(later.url), stderr: "" });
  expect(await later.stop()).toBe(0);
  const stopped = await command(INVITE, { DATA_DIR: dataDir, PORT: "4321" });
  expect(stopped).toEqual({
    code: 0,
    stdout: linkOn("http://localhost:4321"),
    stderr:
      "No running service was found, so the link begins with http://localhost:4321. Replace that part with the URL people open, or set PUBLIC_URL.\n",
  });
});

test("for a remote database, and after a service was killed, the command says which part of the link to replace", async ({
  start,
  dataDir,
  createDatabase,
}) => {
  const service = await start({ DATA_DIR: dataDir });
  await expect.poll(() => service.said()).toContain("User group service running at");
  service.kill("SIGKILL");
  await service.exited;
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  for (const invited of [await command(INVITE, { DATA_DIR: dataDir }), await command(INVITE, settings)]) {
    expect(invited).toMatchObject({ code: 0, stdout: linkOn("http://localhost:3000") });
    expect(invited.stderr).toContain("Replace that part with the URL people open, or set PUBLIC_URL.");
  }
});

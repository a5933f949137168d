import { request } from "undici";
import { expect, OWNER, OWNER_SETTINGS, test } from "../fixtures/own-service";

const PATH = "/api/admin/environments";

test("any environment but the last can be deleted, and the service starts without Testing", async ({
  start,
  dataDir,
}) => {
  const settings = { DATA_DIR: dataDir, ...OWNER_SETTINGS };
  const service = await start(settings);
  await expect.poll(() => service.said()).toContain("Here is an API token");
  const send = await signIn(service.url);
  expect((await send("DELETE", "/api/admin/api-tokens/1")).status).toBe(200);
  expect((await send("DELETE", `${PATH}/testing`)).status).toBe(200);
  const refused = await send("DELETE", `${PATH}/production`);
  expect(refused).toMatchObject({ status: 409, json: { error: { code: "conflict" } } });
  expect(refused.json.error.message).toBe(
    "Nothing was deleted: Production is the only environment: add another one first.",
  );

  for (let round = 0; round < 10; round++) {
    const { json } = await send("GET", PATH);
    const [left] = json.environments;
    const added = { slug: `round-${round}`, name: "Another", tag: "Testing" };
    expect((await send("POST", PATH, added)).status).toBe(200);
    const both = [left.slug, added.slug].map((slug) => send("DELETE", `${PATH}/${slug}`));
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
  }

  expect(await service.stop()).toBe(0);
  const again = await start(settings);
  await expect.poll(() => again.said()).toContain("Create an API token");
});

/** Signs in the owner, for calls as from the dashboard. */
async function signIn(url: string) {
  const signedIn = await request(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(OWNER),
  });
  await signedIn.body.dump();
  const cookie = [signedIn.headers["set-cookie"] ?? []].flat().map((one) => one.split(";")[0]);
  return async (method: "GET" | "POST" | "DELETE", path: string, body?: object) => {
    const response = await request(url + path, {
      method,
      headers: {
        cookie: cookie.join("; "),
        "x-environment": "testing",
        ...(body && { "content-type": "application/json" }),
      },
      body: body ? JSON.stringify(body) : null,
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return { status: response.statusCode, json: (await response.body.json()) as any };
  };
}

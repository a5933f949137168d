import { call, createGroup, expect, expectError, expectNothingChanged, newId, test } from "../fixtures/api";
import { exchange, head, usual } from "../fixtures/raw";

test("/api/user/ with a trailing slash is the same resource for every method", async () => {
  const group = await createGroup();
  const body = { user_group_id: group.provided_id };
  expect((await call("GET", "/api/user/", { body })).json.user_group).toEqual(group);
  expect((await call("GET", `/api/user/?user_group_id=${group.provided_id}`)).json.user_group).toEqual(group);
  expect((await call("PUT", "/api/user/", { body })).json.user_group).toMatchObject(group);
  expect((await call("POST", "/api/user/", { body: { current_token: group.token } })).status).toBe(200);
});

const otherPaths = ["/api", "/api/", "/api/users", "/api/user/x", "/api/user.json", "/api/user/get-or-create/x"];
for (const path of otherPaths) {
  test(`${path} does not exist: 404`, async ({ database }) => {
    const id = newId();
    await expectNothingChanged(database, id, async () => {
      for (const method of ["GET", "PUT", "POST", "DELETE"])
        expectError(await call(method, path, { body: { user_group_id: id } }), 404, "not_found");
    });
  });
}

test.describe("an alternative spelling of a path gives no access, with or without a token", () => {
  const spellings = [
    "/api/%75ser",
    "//api/user",
    "/API/USER",
    "/Api/User",
    "/api//user",
    "/api/user//",
    "///api///user",
    "/./api/user",
    "/x/../api/user",
    "/api/x/../user",
    "/api/./user",
    "/api/user/.",
    "/api/user/..",
    "/api%2fuser",
    "/api/user%2f",
    "/%61pi/user",
    "/api/user%00",
    "/api/user%20",
    "/api/%ff/user",
    "/api\\user",
    "/api/user;x=1",
    "/api/user/get-or-create/..",
    "/_next/../api/user",
    "/api/user/%2e",
    "/api/x/%2e%2e/user",
    "/.%2e/api/user",
    "/api/user/%2E%2E/user",
  ];
  const unreadable = ["\\api\\user", "/api/\u00faser", "/api/us er"];
  const rows = [
    ...spellings.map((path) => ({ path, status: 404, code: "not_found" })),
    ...unreadable.map((path) => ({ path, status: 400, code: "bad_request" })),
  ];
  for (const { path, status, code } of rows) {
    test(`${JSON.stringify(path)}: ${status}`, async ({ database }) => {
      const id = newId();
      const body = JSON.stringify({ user_group_id: id });
      const withBody = [`Content-Length: ${body.length}`];
      await expectNothingChanged(database, id, async () => {
        for (const method of ["GET", "POST", "PUT"]) {
          for (const lines of [usual(), ["Host: localhost"]]) {
            expectError(await exchange(head(method, [...lines, ...withBody], path), body), status, code);
            expectError(await exchange(head(method, lines, `${path}?user_group_id=${id}`)), status, code);
          }
        }
      });
    });
  }
});

test("the answer to a doubled slash says so", async () => {
  for (const path of ["//api/user", "/api//user", "/api/user//"]) {
    const { text } = await exchange(head("GET", usual(), `${path}?user_group_id=${newId()}`));
    expect(text).toContain("two slashes in a row");
  }
});

test("a browser gets a page when a proxy spoils its request; API calls and programs get JSON", async () => {
  const spoilt = ["Host: localhost", "Host: localhost", "Connection: close"];
  const browser = [...spoilt, "Accept: text/html,application/xhtml+xml;q=0.9"];
  for (const target of ["/sign-in", "/testing/groups", "/"]) {
    const { status, headers, text } = await exchange(head("GET", browser, target));
    expect(status).toBe(400);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(text).toContain("<p>The request must have exactly one Host header.</p>");
    expect(text).toContain(headers["x-request-id"]);
    expectError(await exchange(head("GET", spoilt, target)), 400, "bad_request");
  }
  expectError(await exchange(head("GET", browser, "/api/user?user_group_id=a")), 400, "bad_request");
});

test("an absolute-form target, as sent to a proxy: 400", async ({ database }) => {
  const id = newId();
  await expectNothingChanged(database, id, async () => {
    for (const target of ["http://localhost/api/user", "https://evil.example/api/user", "*"])
      expectError(await exchange(head("GET", usual(), `${target}?user_group_id=${id}`)), 400, "bad_request");
  });
});

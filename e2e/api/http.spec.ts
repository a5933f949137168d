import { readFile } from "node:fs/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import {
  type CallOptions,
  call,
  createGroup,
  expect,
  expectError,
  expectNothingChanged,
  newId,
  type Response,
  test,
} from "../fixtures/api";
import { exchange, head, usual } from "../fixtures/raw";

type Headers = NonNullable<CallOptions["headers"]>;

/** The parts of an answer that are the same for every request. */
function lasting({ status, text, headers }: Response) {
  const { date: _, "x-request-id": id, ...rest } = headers;
  return { status, text: text.replaceAll(String(id), "…"), headers: rest };
}

test.describe("a body not declared as JSON in UTF-8", () => {
  const types = {
    "no Content-Type": undefined,
    "an empty Content-Type": "",
    "text/plain": "text/plain",
    "text/json": "text/json",
    "a form, curl's default": "application/x-www-form-urlencoded",
    multipart: "multipart/form-data; boundary=x",
    "Latin-1": "application/json; charset=iso-8859-1",
    latin1: "application/json;charset=latin1",
    "UTF-16": "application/json; charset=utf-16",
    "application/problem+json": "application/problem+json",
    "application/jsonl": "application/jsonl",
    "two types": ["application/json", "text/plain"],
  };
  for (const [title, type] of Object.entries(types)) {
    test(`${title}: 415`, async ({ database }) => {
      const group = await createGroup();
      await expectNothingChanged(database, group.provided_id, async () => {
        const headers = { "content-type": type };
        const body = { user_group_id: group.provided_id, name: "changed" };
        const created = { user_group_id: `${group.provided_id}-new` };
        const rotation = { current_token: group.token };
        for (const answer of [
          await call("GET", "/api/user", { headers, body: created }),
          await call("PUT", "/api/user", { headers, body }),
          await call("POST", "/api/user", { headers, body: rotation }),
        ])
          expectError(answer, 415, "unsupported_media_type");
      });
    });
  }

  for (const type of ["application/json;charset=utf-8", 'Application/JSON ; charset="UTF-8"', "application/json"]) {
    test(`${type} is accepted`, async () => {
      const body = { user_group_id: newId() };
      expect((await call("GET", "/api/user", { headers: { "content-type": type }, body })).status).toBe(200);
    });
  }
});

test.describe("a body with a Content-Encoding", () => {
  const json = (id: string) => Buffer.from(JSON.stringify({ user_group_id: id }));
  const encodings: Record<string, [string, (id: string) => Buffer]> = {
    gzip: ["gzip", (id) => gzipSync(json(id))],
    br: ["br", (id) => brotliCompressSync(json(id))],
    deflate: ["deflate", (id) => deflateSync(json(id))],
    "gzip in name only": ["gzip", json],
    "br in name only": ["br", json],
    "deflate in name only": ["deflate", json],
    identity: ["identity", json],
    "two encodings": ["gzip, br", (id) => brotliCompressSync(gzipSync(json(id)))],
    "gzip of 100 MB": ["gzip", () => gzipSync(Buffer.alloc(100_000_000))],
  };
  for (const [title, [encoding, body]] of Object.entries(encodings)) {
    test(`${title}: 415`, async ({ database }) => {
      const id = newId();
      await expectNothingChanged(database, id, async () => {
        const options = { headers: { "content-encoding": encoding }, body: body(id) };
        expectError(await call("GET", "/api/user", options), 415, "unsupported_media_type");
      });
    });
  }

  test("gzip without the header: 400", async () => {
    expectError(await call("GET", "/api/user", { body: gzipSync(json(newId())) }), 400, "invalid_json");
  });
});

test.describe("neither body nor query", () => {
  for (const path of ["/api/user", "/api/user?", "/api/user/"]) {
    test(`GET ${path}: 400, naming the likely cause and the two other forms`, async () => {
      const { json } = expectError(await call("GET", path), 400, "body_missing");
      for (const words of ["proxy", "POST /api/user/get-or-create", "GET /api/user?user_group_id="])
        expect(json.error.message).toContain(words);
    });
  }
  for (const [method, path] of [
    ["PUT", "/api/user"],
    ["POST", "/api/user"],
    ["POST", "/api/user/get-or-create"],
  ] as const) {
    test(`${method} ${path}: 400`, async () => {
      expectError(await call(method, path), 400, "body_missing");
    });
  }
});

test.describe("a query", () => {
  for (const method of ["GET", "PUT", "POST"]) {
    test(`with a body in a ${method}: 422`, async ({ database }) => {
      const id = newId();
      await createGroup({ user_group_id: `${id}-there` });
      await expectNothingChanged(database, id, async () => {
        const path = `/api/user?user_group_id=${id}`;
        const body = { user_group_id: `${id}-there`, name: "changed" };
        const { json } = expectError(await call(method, path, { body }), 422, "invalid_fields");
        expect(json.error.message).toContain("both a body and a query");
      });
    });
  }

  for (const [title, query] of Object.entries({
    "that names a member twice": "user_group_id=ID&user_group_id=other",
    "that names a member twice, once percent-encoded": "user_group_id=ID&%75ser_group_id=ID",
    "that is not UTF-8": "user_group_id=ID%FF",
    "that is not percent-encoded": "user_group_id=ID%",
    "with an encoded surrogate": "user_group_id=ID%ED%A0%80",
    "with a method": "user_group_id=ID&_method=PUT",
    "with an array": "user_group_id[]=ID",
    "with nothing between two ampersands": "user_group_id=ID&&name=N",
  })) {
    test(`${title}: 422`, async ({ database }) => {
      const id = newId();
      await expectNothingChanged(database, id, async () => {
        const target = `/api/user?${query.replaceAll("ID", id)}`;
        expectError(await exchange(head("GET", usual(), target)), 422, "invalid_fields");
      });
    });
  }

  test("of a mutating method: 422", async ({ database }) => {
    const { provided_id, token } = await createGroup();
    await expectNothingChanged(database, provided_id, async () => {
      for (const [method, query] of [
        ["PUT", `user_group_id=${provided_id}&name=changed`],
        ["POST", `current_token=${token}`],
      ] as const)
        expectError(await call(method, `/api/user?${query}`), 422, "invalid_fields");
    });
  });

  test("with a token in it: 422 (401 if it is the only credential), and the token is not logged", async ({ stage }) => {
    const group = await createGroup();
    const secrets = [group.token, stage.tokens.testing];
    const answers: Response[] = [];
    for (const secret of secrets) {
      for (const name of ["token", "current_token", "api_token", "Authorization"]) {
        const path = `/api/user?user_group_id=${newId()}&${name}=${secret}`;
        answers.push(expectError(await call("GET", path), 422, "invalid_fields"));
        answers.push(expectError(await call("POST", path), 422, "invalid_fields"));
        answers.push(expectError(await call("GET", path, { token: null }), 401, "unauthorized"));
      }
      answers.push(expectError(await call("GET", `/api/user/${secret}`), 404, "not_found"));
      answers.push(expectError(await call("GET", `/api/%75ser/${secret}`), 404, "not_found"));
    }
    for (const { text } of answers) for (const secret of secrets) expect(text).not.toContain(secret);
    const log = () => readFile(stage.logs[0], "utf8");
    for (const { headers } of answers) await expect.poll(log).toContain(String(headers["x-request-id"]));
    for (const secret of secrets) expect(await log()).not.toContain(secret.slice(9, 40));
  });
});

test.describe("a method other than GET, PUT, PATCH, POST and DELETE", () => {
  for (const method of ["TRACE", "QUERY", "PROPFIND", "PURGE", "BREW"]) {
    test(`${method}: 405 with Allow`, async ({ database }) => {
      const { provided_id } = await createGroup();
      await expectNothingChanged(database, provided_id, async () => {
        const body = JSON.stringify({ user_group_id: provided_id, name: "changed" });
        const answer = await exchange(head(method, [...usual(), `Content-Length: ${body.length}`]), body);
        expectError(answer, 405, "method_not_allowed");
        expect(String(answer.headers.allow).split(", ")).toEqual(
          expect.arrayContaining(["GET", "PUT", "PATCH", "POST", "DELETE"]),
        );
      });
    });
  }

  test("CONNECT: 405 with Allow", async () => {
    const answer = await exchange("CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n");
    expectError(answer, 405, "method_not_allowed");
    expect(answer.headers.allow).toBe("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  });

  test("HEAD: 405, and nothing is created", async ({ database }) => {
    const id = newId();
    await expectNothingChanged(database, id, async () => {
      for (const path of ["/api/user", "/api/user/", "/api/user/."]) {
        const { status, headers, text } = await call("HEAD", `${path}?user_group_id=${id}`);
        expect({ status, text }).toEqual({ status: 405, text: "" });
        expect(headers).toMatchObject({ "cache-control": "no-store", allow: expect.stringContaining("GET") });
        expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
      }
    });
  });

  for (const [path, allow] of [
    ["/api/user", "GET, POST, PUT, PATCH, DELETE, OPTIONS"],
    ["/api/user/get-or-create", "POST, OPTIONS"],
  ] as const) {
    test(`OPTIONS ${path}: 204 with Allow, and no CORS`, async () => {
      const headers = { origin: "https://evil.example", "access-control-request-method": "PUT" };
      for (const token of [undefined, null]) {
        const answer = await call("OPTIONS", path, { headers, ...(token === null && { token }) });
        expect(answer).toMatchObject({ status: 204, text: "", headers: { allow, "cache-control": "no-store" } });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
      expect((await call("PURGE", path)).headers.allow).toBe(allow);
    });
  }
});

test.describe("headers without effect", () => {
  const forwarded = {
    "x-forwarded-for": "203.0.113.77",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    forwarded: "for=203.0.113.77;host=evil.example",
  };
  const rows: Record<string, Headers> = {
    "X-HTTP-Method-Override": { "x-http-method-override": "PUT" },
    "X-HTTP-Method": { "x-http-method": "DELETE" },
    "X-Method-Override": { "x-method-override": "POST" },
    _method: { _method: "PUT" },
    "x-middleware-subrequest": { "x-middleware-subrequest": "middleware:middleware:middleware:middleware:middleware" },
    RSC: { rsc: "1", "next-router-prefetch": "1", "next-router-state-tree": "%5B%22%22%5D" },
    "Next-Action": { "next-action": "0123456789abcdef0123456789abcdef01234567" },
    "x-nextjs-data": { "x-nextjs-data": "1" },
    "X-Original-URL": { "x-original-url": "/healthz", "x-rewrite-url": "/healthz" },
    "If-None-Match": { "if-none-match": "*" },
    "If-Modified-Since": { "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT" },
    Range: { range: "bytes=0-9" },
    "Accept: text/html": { accept: "text/html" },
    "Accept-Encoding": { "accept-encoding": "gzip, br" },
    "X-Environment with an API token": { "x-environment": "production" },
    "X-Request-Id": { "x-request-id": "mine" },
    "X-Forwarded-*": forwarded,
  };
  for (const [title, headers] of Object.entries(rows)) {
    test(`${title}: the plain answer, and no access`, async ({ database }) => {
      const { provided_id } = await createGroup({ name: "as it was" });
      await expectNothingChanged(database, provided_id, async () => {
        const body = { user_group_id: provided_id, name: "changed" };
        const plain = await call("GET", "/api/user", { body });
        expect(lasting(await call("GET", "/api/user", { body, headers }))).toEqual(lasting(plain));
        expectError(await call("GET", "/api/user", { body, headers, token: null }), 401, "unauthorized");
      });
    });
  }

  test("If-None-Match with the current ETag: the plain answer, no 304", async () => {
    const body = { user_group_id: (await createGroup()).provided_id };
    const plain = await call("GET", "/api/user", { body });
    const again = await call("GET", "/api/user", { body, headers: { "if-none-match": String(plain.headers.etag) } });
    expect(lasting(again)).toEqual(lasting(plain));
  });

  test("X-Forwarded-* is not trusted: it vouches for no other Origin and names no one in the log", async ({
    stage,
  }) => {
    const body = { user_group_id: newId() };
    const options = { body, headers: { ...forwarded, origin: "https://evil.example" } };
    const answer = expectError(await call("GET", "/api/user", options), 403, "forbidden");
    const logged = async () =>
      (await readFile(stage.logs[0], "utf8")).split("\n").filter((line) => line.includes(answer.json.error.request_id));
    await expect.poll(logged).toHaveLength(1);
    expect((await logged())[0]).not.toMatch(/203\.0\.113\.77|evil\.example/);
  });
});

test("a GET's body that HttpURLConnection or urllib turned into a POST: 422 that names the fix", async ({
  database,
}) => {
  const id = newId();
  await expectNothingChanged(database, id, async () => {
    const answer = await call("POST", "/api/user", { body: { user_group_id: id, name: "N" } });
    const { json } = expectError(answer, 422, "invalid_fields");
    for (const words of ["current_token is required", "GET", "POST /api/user/get-or-create"])
      expect(json.error.message).toContain(words);
  });
});

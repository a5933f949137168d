import { call, createGroup, expect, expectError, expectNothingChanged, newId, test } from "../fixtures/api";
import { bodyOf, chunk, chunkedHead, exchange, head, LAST_CHUNK, openWire, usual, type Wire } from "../fixtures/raw";
import { testWithToken } from "../fixtures/scoped-token";

const LIMIT = 262_144;
const LARGE = Buffer.alloc(15_000_000, "x");

const declared = (length: number) => head("GET", [...usual(), `Content-Length: ${length}`]);

test.describe("the size of a body", () => {
  for (const [title, send] of Object.entries({
    "with Content-Length": (body: Buffer) => exchange(declared(body.length), body),
    chunked: (body: Buffer) => exchange(chunkedHead(), chunk(body), LAST_CHUNK),
    "in many chunks": (body: Buffer) =>
      exchange(chunkedHead(), ...Array.from({ length: 64 }, (_, at) => chunk(part(body, at, 64))), LAST_CHUNK),
  })) {
    test(`256 KiB ${title}: 200`, async () => {
      const id = newId();
      const { status, json: answer } = await send(Buffer.from(bodyOf(id).padEnd(LIMIT)));
      expect(status).toBe(200);
      expect(answer.user_group.provided_id).toBe(id);
    });

    test(`256 KiB and a byte ${title}: 413`, async ({ database }) => {
      const id = newId();
      await expectNothingChanged(database, id, async () => {
        expectError(await send(Buffer.from(bodyOf(id).padEnd(LIMIT + 1))), 413, "body_too_large");
      });
    });

    test(`15 MB ${title}: a readable 413, each time`, async () => {
      for (let round = 0; round < 5; round++) expectError(await send(LARGE), 413, "body_too_large");
    });
  }

  test("15 MB from an ordinary client: 413", async () => {
    expectError(await call("PUT", "/api/user", { body: LARGE }), 413, "body_too_large");
  });

  test("15 MB declared and not yet sent: 413 immediately, also with Expect: 100-continue", async () => {
    for (const lines of [[], ["Expect: 100-continue"]]) {
      const answer = await exchange(head("PUT", [...usual(), ...lines, `Content-Length: ${LARGE.length}`]));
      expectError(answer, 413, "body_too_large");
    }
  });

  test("endless chunks: 413 as soon as the limit is passed", async () => {
    const wire = await openWire();
    wire.send(chunkedHead());
    const sending = setInterval(() => wire.send(chunk(Buffer.alloc(65_536, "x"))), 10);
    expectError(await wire.answer(), 413, "body_too_large");
    await wire.ended;
    clearInterval(sending);
  });
});

/** What a client sends before stopping within the body, and the expected error. */
interface Unfinished {
  title: string;
  send: (wire: Wire, id: string) => void;
  code: "request_timeout" | "body_missing";
}

/** Sends a byte a second while the connection accepts any. */
function trickle(wire: Wire, first: string, byte: string) {
  wire.send(first);
  const sending = setInterval(() => wire.send(byte), 1_000);
  void wire.closed.then(() => clearInterval(sending));
}

/** Sends the request, then waits for the answer and the end of the connection. */
async function watch(send: Unfinished["send"]) {
  const id = newId();
  const start = Date.now();
  const wire = await openWire();
  send(wire, id);
  const answer = await wire.answer();
  await wire.ended;
  const took = Date.now() - start;
  wire.end();
  await wire.closed;
  return { id, answer, took };
}

const unfinished: Unfinished[] = [
  {
    title: "a body shorter than its Content-Length",
    send: (wire, id) => wire.send(declared(900) + bodyOf(id)),
    code: "request_timeout",
  },
  {
    title: "a body shorter than its Content-Length, the client's direction closed",
    send(wire, id) {
      wire.send(declared(900) + bodyOf(id));
      wire.end();
    },
    code: "request_timeout",
  },
  {
    title: "chunks that stop before the last one",
    send: (wire, id) => wire.send(chunkedHead() + chunk(bodyOf(id))),
    code: "request_timeout",
  },
  {
    title: "chunks that stop, the client's direction closed",
    send(wire, id) {
      wire.send(chunkedHead() + chunk(bodyOf(id)));
      wire.end();
    },
    code: "request_timeout",
  },
  {
    title: "a body of one byte a second",
    send: (wire, id) => trickle(wire, `${declared(900)}${bodyOf(id)}`, " "),
    code: "request_timeout",
  },
  {
    title: "a chunk of one byte a second",
    send: (wire, id) => trickle(wire, `${chunkedHead()}${chunk(bodyOf(id))}`, "1\r\n \r\n"),
    code: "request_timeout",
  },
  {
    title: "headers of one byte a second",
    send: (wire) => trickle(wire, "GET /api/user HTTP/1.1\r\nX-Slow: ", "x"),
    code: "request_timeout",
  },
  {
    title: "headers that stop",
    send: (wire) => wire.send("GET /api/user HTTP/1.1\r\nHost: loc"),
    code: "request_timeout",
  },
  { title: "a Content-Length without a body", send: (wire) => wire.send(declared(2)), code: "body_missing" },
  {
    title: "a Content-Length without a body, the client's direction closed",
    send(wire) {
      wire.send(declared(2));
      wire.end();
    },
    code: "body_missing",
  },
  { title: "no chunk at all", send: (wire) => wire.send(chunkedHead()), code: "body_missing" },
];

test.describe("an incomplete request is answered and closed within 10 s", () => {
  // All run concurrently in one worker, as each takes the service's full timeout.
  test.describe.configure({ mode: "default" });
  const outcomes = new Map<string, ReturnType<typeof watch>>();
  test.beforeAll(() => {
    for (const { title, send } of unfinished) outcomes.set(title, watch(send));
  });

  for (const { title, send, code } of unfinished) {
    const status = code === "body_missing" ? 400 : 408;
    test(`${title}: ${status}`, async ({ database }) => {
      const { id, answer, took } = await (outcomes.get(title) ?? watch(send));
      expectError(answer, status, code);
      expect(took).toBeLessThan(10_000);
      expect(await database.query("SELECT FROM user_group WHERE strpos(provided_id, $1) > 0", [id])).toEqual([]);
    });
  }

  test("a body shorter than its Content-Length, the connection cut: nothing changes, and the service stays up", async ({
    database,
  }) => {
    const { provided_id } = await createGroup();
    await expectNothingChanged(database, provided_id, async () => {
      for (const cut of ["reset", "end"] as const) {
        for (const id of [provided_id, `${provided_id}-new`]) {
          const wire = await openWire();
          const body = JSON.stringify({ user_group_id: id, name: "changed" });
          wire.send(
            head(id === provided_id ? "PUT" : "GET", [...usual(), `Content-Length: ${body.length + 1}`]) + body,
          );
          await new Promise((resolve) => setTimeout(resolve, 100));
          wire[cut]();
        }
      }
      expect((await call("GET", "/healthz")).status).toBe(200);
    });
  });
});

test("changes pipelined on one connection are made in their order", async () => {
  const { provided_id } = await createGroup();
  const names = ["one", "two", "three"];
  const put = (name: string) => {
    const body = JSON.stringify({ user_group_id: provided_id, name });
    return head("PUT", [...usual(), `Content-Length: ${body.length}`]) + body;
  };
  for (let round = 0; round < 5; round++) {
    const wire = await openWire();
    wire.send(names.map(put).join(""));
    for (const name of names) expect((await wire.answer()).json.user_group.name).toBe(name);
    wire.reset();
    expect((await call("GET", `/api/user?user_group_id=${provided_id}`)).json.user_group.name).toBe("three");
  }
});

test("a flood of pipelined requests closes its own connection only", async () => {
  const one = head("GET", ["Host: localhost"], "/readyz");
  const wire = await openWire();
  wire.send(one.repeat(16));
  for (let n = 0; n < 16; n++) expect((await wire.answer()).status).toBe(200);
  wire.send(one.repeat(20_000));
  await wire.closed;
  expect((await call("GET", "/readyz")).status).toBe(200);
});

testWithToken("events:read")(
  "a body behind a slow request is read in its turn",
  { tag: "@release" },
  async ({ token }) => {
    const { provided_id } = await createGroup();
    const wire = await openWire();
    const authorization = `Authorization: Token ${token}`;
    wire.send(head("GET", ["Host: localhost", authorization], "/api/events?types=user_group.erased&wait=12"));
    const body = JSON.stringify({ user_group_id: provided_id, name: "behind" }).padEnd(250_000);
    wire.send(head("PUT", [...usual(), `Content-Length: ${body.length}`]) + body);
    expect((await wire.answer()).json.events).toEqual([]);
    expect((await wire.answer()).json.user_group.name).toBe("behind");
  },
);

function part(bytes: Buffer, at: number, of: number): Buffer {
  return bytes.subarray(Math.floor((bytes.length * at) / of), Math.floor((bytes.length * (at + 1)) / of));
}

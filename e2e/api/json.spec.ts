import { adminClient } from "../fixtures/admin-client";
import { call, createGroup, expect, expectError, expectNothingChanged, newId, test } from "../fixtures/api";
import { exported } from "../fixtures/jobs";
import { scopedToken } from "../fixtures/scoped-token";

/** Builds a body with this id; each row breaks a different part of it. */
type Body = (id: string) => string | Uint8Array;
type Rows = Record<string, Body>;

const nested = (levels: number, open: string, inner: string, close: string) =>
  open.repeat(levels) + inner + close.repeat(levels);
const withProperties =
  (json: string): Body =>
  (id) =>
    `{"user_group_id":"${id}","properties":${json}}`;
const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const object = (id: string) => `{"user_group_id":"${id}"}`;

/** Sends the body to create one group and update another, and checks that both are refused. */
function refuses({ rows, code, saying }: { rows: Rows; code: "invalid_json" | "invalid_fields"; saying?: string }) {
  const status = code === "invalid_json" ? 400 : 422;
  for (const [name, body] of Object.entries(rows)) {
    test(`${name}: ${status}`, async ({ database }) => {
      const id = newId();
      await createGroup({ user_group_id: `${id}-there`, properties: { kept: true } });
      await expectNothingChanged(database, id, async () => {
        const get = await call("GET", "/api/user", { body: body(`${id}-new`) });
        const put = await call("PUT", "/api/user", { body: body(`${id}-there`) });
        for (const answer of [get, put]) {
          expectError(answer, status, code);
          if (saying) expect(answer.json.error.message).toContain(saying);
        }
      });
    });
  }
}

test.describe("a duplicate member name", () => {
  refuses({
    code: "invalid_json",
    saying: "duplicate member name",
    rows: {
      "spelled the same": (id) => `{"user_group_id":"${id}","user_group_id":"other"}`,
      "as an escape": (id) => `{"user_group_id":"${id}","user_group_\\u0069d":"other"}`,
      "inside properties": withProperties('{"a":1,"a":2}'),
      "inside properties, as an escape": withProperties('{"a":1,"\\u0061":2}'),
      "deep inside properties": withProperties('{"a":[{"b":1,"c":2,"b":3}]}'),
      "named __proto__": withProperties('{"__proto__":1,"__proto__":2}'),
    },
  });
});

test.describe("nesting deeper than 32 levels", () => {
  const rows: Rows = {};
  for (const levels of [33, 1_000, 100_000]) {
    // The body is level 1 and properties level 2.
    rows[`${levels} levels of arrays in properties`] = withProperties(`{"a":${nested(levels - 2, "[", "", "]")}}`);
    rows[`${levels} levels around everything`] = (id) => nested(levels - 1, "[", object(id), "]");
  }
  rows["33 levels of objects in properties"] = withProperties(nested(32, '{"a":', "1", "}"));
  refuses({ rows, code: "invalid_json", saying: "nesting is deeper than 32 levels" });

  test("starts at 33: 32 levels are returned as sent", async () => {
    const properties = nested(31, '{"a":', "1", "}");
    const { text } = await call("GET", "/api/user", { body: withProperties(properties)(newId()) });
    expect(text).toContain(`"properties":${properties}`);
  });
});

test.describe("a number that readers would change", () => {
  const rows: Rows = {};
  const decimal = `0.${"1234567890".repeat(4)}`;
  const tooFine = ["0e-16384", "0e-99999999999", "0e99999999999"];
  for (const literal of ["9007199254740993", "-9007199254740993", "1e400", "-1e400", "1e200000", decimal, ...tooFine])
    rows[literal] = withProperties(`{"n":${literal}}`);
  rows["in place of an id"] = () => '{"user_group_id":9007199254740993}';
  rows["1 with 20,000 zeros after the point"] = withProperties(`{"n":1.${"0".repeat(20_000)}}`);
  rows["of 250,000 digits"] = withProperties(`{"n":0.1${"0".repeat(250_000)}1}`);
  refuses({ rows, code: "invalid_json", saying: "send it as a string" });
});

test("numbers in unusual spellings are kept as sent", async () => {
  const id = newId();
  const properties =
    '{"a":-0,"b":1.10,"c":1E2,"d":9007199254740991,"e":[-9007199254740991,5e-324,0.1,0.10000000000000001],' +
    '"f":[0e-16383,0e999999]}';
  const created = await call("GET", "/api/user", { body: withProperties(properties)(id) });
  const updated = await call("PUT", "/api/user", { body: withProperties(properties)(id) });
  for (const { text } of [created, updated]) expect(text).toContain(`"properties":${properties}`);
});

test.describe("U+0000", () => {
  refuses({
    code: "invalid_json",
    saying: "NUL",
    rows: {
      "in the id": (id) => `{"user_group_id":"${id}\\u0000"}`,
      "in the name": (id) => `{"user_group_id":"${id}","name":"a\\u0000b"}`,
      "in a property's name": withProperties('{"a\\u0000":1}'),
      "in a property": withProperties('{"a":["\\u0000"]}'),
    },
  });
});

test.describe("an unpaired surrogate", () => {
  refuses({
    code: "invalid_json",
    saying: "surrogate",
    rows: {
      "in the id": (id) => `{"user_group_id":"${id}\\ud800"}`,
      "low, in the id": (id) => `{"user_group_id":"${id}\\udc00"}`,
      "as a pair in the wrong order": (id) => `{"user_group_id":"${id}\\udc00\\ud800"}`,
      "in the name": (id) => `{"user_group_id":"${id}","name":"\\ud83d"}`,
      "in a property's name": withProperties('{"\\ud83d":1}'),
      "in a property": withProperties('{"a":"\\ud83dx"}'),
    },
  });
});

test.describe("a noncharacter", () => {
  refuses({
    code: "invalid_json",
    saying: "is a noncharacter",
    rows: {
      "in the id": (id) => `{"user_group_id":"${id}\ufffe."}`,
      "escaped, in the id": (id) => `{"user_group_id":"${id}\\uFFFF."}`,
      "in the name": (id) => `{"user_group_id":"${id}","name":"N\ufdd0"}`,
      "beyond the first plane, in a property's name": withProperties('{"\u{1fffe}":1}'),
      "beyond the first plane, escaped, in a property": withProperties('{"a":["\\udbff\\udfff"]}'),
    },
  });

  for (const [title, fields] of Object.entries({
    "the id": { user_group_id: "\ufffe." },
    "the name": { user_group_id: "", name: "\ufdd0" },
    properties: { user_group_id: "", properties: '{"a":"\u{10ffff}"}' },
    "a parameter's name": { user_group_id: "", "\uffff": "" },
  })) {
    test(`in the query form, in ${title}: 400`, async ({ database }) => {
      const id = newId();
      await expectNothingChanged(database, id, async () => {
        const query = new URLSearchParams({ ...fields, user_group_id: id + fields.user_group_id });
        expectError(await call("GET", `/api/user?${query}`), 400, "invalid_json");
      });
    });
  }

  test("that an older version stored is still shown, listed and exported", async ({ database }) => {
    const admin = await adminClient(database);
    const group = await createGroup({ properties: { a: 1 } });
    const stored = '{"a":"\ufffe","\ufdd0":1}';
    await database.query("UPDATE user_group SET properties = $2 WHERE team_id = $1", [group.team_id, stored]);
    const got = await call("GET", "/api/user", { body: { user_group_id: group.provided_id } });
    expect(got.text).toContain(`"properties":${stored}`);
    for (const query of [{ team_id: group.team_id }, { search: group.provided_id }]) {
      expect((await admin.groups("", query)).text).toContain(`"properties":${stored}`);
    }
    expect(await exported(admin, { format: "jsonl", search: group.provided_id })).toContain(stored);
    // Writes a history entry of both states, which Activity reads.
    const body = { user_group_id: group.provided_id, properties: null };
    expect((await call("PUT", "/api/user", { body })).status).toBe(200);
    expect((await admin.groups("/history", { team_id: group.team_id })).status).toBe(200);
  });
});

test.describe("bytes that are not UTF-8", () => {
  const bom = [0xef, 0xbb, 0xbf];
  refuses({
    code: "invalid_json",
    rows: {
      "FF in the id": (id) => bytes(`{"user_group_id":"${id}`, [0xff], '"}'),
      "C0 AF, an overlong slash": (id) => bytes(`{"user_group_id":"${id}`, [0xc0, 0xaf], '"}'),
      "ED A0 80, an encoded surrogate": (id) => bytes(`{"user_group_id":"${id}`, [0xed, 0xa0, 0x80], '"}'),
      "E9, a Latin-1 é, in the name": (id) => bytes(`{"user_group_id":"${id}","name":"`, [0xe9], '"}'),
      "F5 in a property": (id) => bytes(`{"user_group_id":"${id}","properties":{"a":"`, [0xf5], '"}}'),
      "a sequence cut short": (id) => bytes(`{"user_group_id":"${id}`, [0xe2, 0x82], '"}'),
      "UTF-16, little endian": (id) => Buffer.from(object(id), "utf16le"),
      "UTF-16, big endian": (id) => Buffer.from(object(id), "utf16le").swap16(),
      "UTF-16 with its byte order mark": (id) => bytes([0xff, 0xfe], [...Buffer.from(object(id), "utf16le")]),
      "a UTF-8 byte order mark": (id) => bytes(bom, object(id)),
    },
  });
});

test("property names with a meaning in JavaScript are kept exactly", async ({ database }) => {
  const id = newId();
  const names = ["__proto__", "constructor", "toJSON", "then", "hasOwnProperty", "length", "", "prototype"];
  const properties = `{${names.map((name) => `"${name}":{"${name}":"x"}`).join(",")}}`;
  const body = `{"user_group_id":"${id}","mapping":${properties},"properties":${properties}}`;
  const answers = [
    await call("GET", "/api/user", { body }),
    await call("PUT", "/api/user", { body }),
    await call("GET", "/api/user", { body: object(id) }),
  ];
  for (const { text } of answers) expect(text).toContain(`"properties":${properties}`);
  const rows = await database.query("SELECT mapping FROM user_group WHERE provided_id = $1", [id]);
  expect(rows).toEqual([{ mapping: properties }]);
});

test.describe("invalid JSON", () => {
  refuses({
    code: "invalid_json",
    rows: {
      "only white space": () => " \t\r\n ",
      "two documents": (id) => `${object(id)}${object(id)}`,
      "two documents on two lines": (id) => `${object(id)}\n${object(id)}`,
      "trailing bytes": (id) => `${object(id)}x`,
      "a trailing NUL": (id) => `${object(id)}\0`,
      truncated: (id) => object(id).slice(0, -1),
      "truncated in a string": (id) => object(id).slice(0, -2),
      NaN: withProperties('{"a":NaN}'),
      Infinity: withProperties('{"a":-Infinity}'),
      undefined: withProperties("undefined"),
      "a comment": (id) => `/* a */ ${object(id)}`,
      "a comment at the end of the line": (id) => `${object(id)} // a`,
      "a trailing comma": (id) => `{"user_group_id":"${id}",}`,
      "a trailing comma in an array": withProperties('{"a":[1,]}'),
      "single quotes": (id) => `{'user_group_id':'${id}'}`,
      "a name without quotes": (id) => `{user_group_id:"${id}"}`,
      "a raw newline in a string": (id) => `{"user_group_id":"${id}","name":"a\nb"}`,
      "a raw tab in a string": (id) => `{"user_group_id":"${id}","name":"a\tb"}`,
      "an invalid escape": (id) => `{"user_group_id":"${id}","name":"\\x41"}`,
      "a leading zero": withProperties('{"a":01}'),
      "a leading plus": withProperties('{"a":+1}'),
      "a number in hexadecimal": withProperties('{"a":0x1}'),
      "a space outside JSON's white space": (id) => `{"user_group_id":\u00a0"${id}"}`,
      "a query instead of JSON": (id) => `user_group_id=${id}`,
    },
  });

  test("an empty body: 400", async () => {
    for (const method of ["GET", "PUT", "POST"])
      expectError(await call(method, "/api/user", { body: "" }), 400, "body_missing");
  });

  test("is located: the comma missing between two members, as in the published DELETE sample", async ({ database }) => {
    const id = newId();
    await createGroup({ user_group_id: id });
    await expectNothingChanged(database, id, async () => {
      const body = `{\n  "user_group_id": "${id}"\n  "name": "N"\n}`;
      for (const method of ["GET", "PUT", "POST"]) {
        const { json } = expectError(await call(method, "/api/user", { body }), 400, "invalid_json");
        expect(json.error.message).toContain("a comma is missing before this, at line 3, column 3");
      }
      const token = await scopedToken("groups:delete");
      expectError(await call("DELETE", "/api/user", { body, token }), 400, "invalid_json");
    });
  });
});

test.describe("JSON that is not an object", () => {
  refuses({
    code: "invalid_fields",
    saying: "must be a JSON object",
    rows: {
      "an array": (id) => `[${object(id)}]`,
      "an empty array": () => "[]",
      "a string": (id) => `"${id}"`,
      "a number": () => "42",
      true: () => "true",
      null: () => "null",
    },
  });
});

for (const member of ["mapping", "properties"]) {
  test.describe(`${member} that is not an object`, () => {
    const rows: Rows = {};
    for (const value of ["[]", '[{"a":1}]', '"{}"', "42", "true", "false"])
      rows[value] = (id) => `{"user_group_id":"${id}","${member}":${value}}`;
    refuses({ rows, code: "invalid_fields", saying: `${member} must be a JSON object` });
  });
}

test.describe("an unknown member", () => {
  const guesses = {
    propertes: "properties",
    Name: "name",
    usergroup_id: "user_group_id",
    userGroupId: "user_group_id",
    mappings: "mapping",
  };
  for (const [member, guess] of Object.entries(guesses)) {
    refuses({
      code: "invalid_fields",
      saying: `${member} is not a known field (did you mean ${guess}?)`,
      rows: { [member]: (id) => `{"user_group_id":"${id}","${member}":{}}` },
    });
  }
  for (const member of ["isAdmin", "team_id", "token", "provided_id", "api_environment_tag", "__proto__"]) {
    refuses({
      code: "invalid_fields",
      saying: `${member} is not a known field`,
      rows: { [member]: (id) => `{"user_group_id":"${id}","${member}":1}` },
    });
  }

  test("is named in the issues", async () => {
    const body = { user_group_id: newId(), isAdmin: true };
    const { json } = expectError(await call("GET", "/api/user", { body }), 422, "invalid_fields");
    expect(json.error.issues).toEqual([{ path: ["isAdmin"], message: expect.stringContaining("The fields are") }]);
  });

  test("is refused in a rotation as well", async ({ database }) => {
    const { provided_id, token } = await createGroup();
    await expectNothingChanged(database, provided_id, async () => {
      const body = { current_token: token, user_group_id: provided_id };
      expectError(await call("POST", "/api/user", { body }), 422, "invalid_fields");
    });
  });

  test("among 25,000 others does not make the answer longer than the question", async () => {
    const body = `{${Array.from({ length: 25_000 }, (_, index) => `"${index}":1`).join(",")}}`;
    const { text } = expectError(await call("GET", "/api/user", { body }), 422, "invalid_fields");
    expect(text.length).toBeLessThan(4_000);
  });
});

for (const [properties, status, code] of [
  ['{"a":1,"a":2}', 400, "invalid_json"],
  ['{"a":"\\u0000"}', 400, "invalid_json"],
  ['{"a":9007199254740993}', 400, "invalid_json"],
  [nested(33, "[", "", "]"), 400, "invalid_json"],
  ["", 400, "invalid_json"],
  ["[]", 422, "invalid_fields"],
] as const) {
  test(`properties=${properties} in a query follows the same rules: ${status}`, async ({ database }) => {
    const id = newId();
    await expectNothingChanged(database, id, async () => {
      const answer = await call("GET", `/api/user?${new URLSearchParams({ user_group_id: id, properties })}`);
      expectError(answer, status, code);
    });
  });
}

import { call, createGroup, expect, expectError, expectNothingChanged, newId, test } from "../fixtures/api";

const code = (character: string) => `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
const inQuery = (fields: Record<string, string>) => `/api/user?${new URLSearchParams(fields)}`;

/** The groups with this id in the environment of that group. */
const ROWS_BESIDE = `
  SELECT g.team_id FROM user_group g JOIN user_group AS own USING (environment_id, provided_id)
  WHERE provided_id = $1 AND own.team_id = $2`;

/** Checks that the fields are refused for this member in every form, and that no group changes. */
function refuses(title: string, member: "user_group_id" | "name", fields: (stem: string) => Record<string, unknown>) {
  test(`${title}: 422`, async ({ database }) => {
    const stem = newId();
    await createGroup({ user_group_id: `${stem}-there` });
    const body = { ...(member === "name" && { user_group_id: `${stem}-there` }), ...fields(stem) };
    await expectNothingChanged(database, stem, async () => {
      const answers = [
        await call("GET", "/api/user", { body }),
        await call("PUT", "/api/user", { body }),
        await call("POST", "/api/user/get-or-create", { body }),
      ];
      const texts = Object.entries(body).filter((field): field is [string, string] => typeof field[1] === "string");
      if (texts.length === Object.keys(body).length && texts.length > 0)
        answers.push(await call("GET", inQuery(Object.fromEntries(texts))));
      for (const answer of answers) {
        const { json } = expectError(answer, 422, "invalid_fields");
        for (const issue of json.error.issues) expect(issue.path).toEqual([member]);
      }
    });
  });
}

test.describe("an id that is not a string", () => {
  refuses("missing", "user_group_id", () => ({}));
  for (const value of [null, "", 42, 0, 1.5, true, false, [], ["a"], {}])
    refuses(JSON.stringify(value), "user_group_id", () => ({ user_group_id: value }));

  test("never matches the string it resembles", async ({ database }) => {
    const number = Math.floor(Math.random() * 1e15);
    const group = await createGroup({ user_group_id: String(number) });
    await expectNothingChanged(database, group.provided_id, async () => {
      const body = { user_group_id: number, name: "changed" };
      for (const method of ["GET", "PUT"])
        expectError(await call(method, "/api/user", { body }), 422, "invalid_fields");
    });
  });

  test("is answered with the fix", async () => {
    const { json } = await call("GET", "/api/user", { body: { user_group_id: 42 } });
    expect(json.error.issues).toEqual([{ path: ["user_group_id"], message: 'must be a string: send "42" in quotes' }]);
  });
});

test.describe("white space", () => {
  const blanks = [" ", "\t", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u2003", "\u2060"];
  for (const blank of blanks) {
    refuses(`an id of ${code(blank)} alone`, "user_group_id", () => ({ user_group_id: blank }));
    refuses(`an id of three ${code(blank)}`, "user_group_id", () => ({ user_group_id: blank.repeat(3) }));
    refuses(`an id that begins with ${code(blank)}`, "user_group_id", (stem) => ({ user_group_id: blank + stem }));
    refuses(`an id that ends with ${code(blank)}`, "user_group_id", (stem) => ({ user_group_id: stem + blank }));
    refuses(`a name of ${code(blank)} alone`, "name", () => ({ name: blank.repeat(2) }));
  }

  test("inside an id or around a name is kept", async () => {
    const id = `${newId()} a\u00a0b\u3000c`;
    const group = await createGroup({ user_group_id: id, name: " N\u3000" });
    expect(group).toMatchObject({ provided_id: id, name: " N\u3000" });
  });
});

test("a new id that begins or ends with an invisible character is refused; one inside is kept", async ({
  database,
}) => {
  const ends = [
    "\u00ad",
    "\u034f",
    "\u115f",
    "\u17b4",
    "\u180b",
    "\u2061",
    "\u2800",
    "\u3164",
    "\ufe0f",
    "\uffa0",
    "\u{e0020}",
  ];
  const message = "must not begin or end with a character without a glyph, such as U+00AD";
  for (const end of ends) {
    const stem = newId();
    for (const user_group_id of [`${stem}${end}`, `${end}${stem}`]) {
      const body = { user_group_id };
      await expectNothingChanged(database, stem, async () => {
        for (const [method, path] of [
          ["GET", "/api/user"],
          ["POST", "/api/user/get-or-create"],
          ["POST", "/api/user/upsert"],
        ] as const) {
          const { json } = expectError(await call(method, path, { body }), 422, "invalid_fields");
          expect(json.error.issues, code(end)).toEqual([{ path: ["user_group_id"], message }]);
        }
        // The id of an existing, older group is still looked up.
        expectError(await call("PUT", "/api/user", { body }), 404, "unknown_user_group");
      });
    }
    const inside = `${stem}${end}x`;
    expect(await createGroup({ user_group_id: inside })).toMatchObject({ provided_id: inside });
  }
});

test.describe("length", () => {
  const accepted = { "255 characters": "a", "255 emoji": "😀", "255 characters of three bytes": "語" };
  for (const [title, character] of Object.entries(accepted)) {
    test(`an id and a name of ${title} are kept`, async () => {
      const id = newId("").padEnd(255, "-").slice(0, 40) + character.repeat(215);
      const name = character.repeat(255);
      expect(await createGroup({ user_group_id: id, name })).toMatchObject({ provided_id: id, name });
      expect((await call("PUT", "/api/user", { body: { user_group_id: id } })).json.user_group.provided_id).toBe(id);
    });
  }
  for (const character of ["a", "😀", "語"]) {
    refuses(`an id of 256 × ${character}`, "user_group_id", () => ({ user_group_id: character.repeat(256) }));
    refuses(`a name of 256 × ${character}`, "name", () => ({ name: character.repeat(256) }));
  }
  for (const member of ["user_group_id", "name"] as const) {
    const body = { user_group_id: "a", [member]: "a".repeat(100_000) };
    test(`${member} of 100,000 × a, which compresses below the limit of an index: 422`, async ({ database }) => {
      for (const method of ["GET", "PUT"])
        expectError(await call(method, "/api/user", { body }), 422, "invalid_fields");
      expect(await database.query("SELECT FROM user_group WHERE length(provided_id) > 255")).toEqual([]);
    });
  }
  refuses("an empty name", "name", () => ({ name: "" }));
  refuses("a name of null", "name", () => ({ name: null }));
  refuses("a name that is a number", "name", () => ({ name: 42 }));
});

test.describe("a name with nothing visible", () => {
  for (const name of [
    "\u3164",
    "\u115f\u1160",
    "\ufe0f",
    "\u{e0041}\u{e007f}",
    "\u2800 \u2800",
    "\u0301",
    "\u00ad",
    "\u200b",
  ])
    refuses([...name].map(code).join(" "), "name", () => ({ name }));

  test("is kept if an older version stored it", async ({ database }) => {
    const { provided_id, team_id } = await createGroup();
    await database.query("UPDATE user_group SET name = $2 WHERE team_id = $1", [team_id, "\u3164"]);
    for (const method of ["GET", "PUT"]) {
      const { json } = await call(method, "/api/user", { body: { user_group_id: provided_id } });
      expect(json.user_group.name).toBe("\u3164");
    }
  });
});

test.describe("control characters", () => {
  const controls = ["\u0001", "\u0007", "\u001b", "\u001f", "\u007f", "\u0085", "\u009f", "\n", "\r\n"];
  const bidirectional = [..."\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];
  for (const character of [...controls, ...bidirectional]) {
    const title = [...character].map(code).join(" ");
    refuses(`${title} in an id`, "user_group_id", (stem) => ({ user_group_id: `${stem}${character}x` }));
    refuses(`${title} in a name`, "name", () => ({ name: `a${character}b` }));
  }

  test("U+0000 in the id of a query: 422", async () => {
    expectError(await call("GET", "/api/user?user_group_id=a%00"), 422, "invalid_fields");
  });
});

test.describe("look-alike ids are separate groups, each returned byte for byte", () => {
  const pairs = {
    "é as one character and as two": ["\u00e9", "e\u0301"],
    "Latin a and Cyrillic а": ["a", "\u0430"],
    "Acme and acme": ["Acme", "acme"],
    "fullwidth Ａ and A": ["\uff21", "A"],
    "ß, ẞ and ss": ["ß", "ẞ", "ss"],
    "dotted and dotless i": ["i", "ı", "İ", "I"],
    "the ligature ﬁ and fi": ["\ufb01", "fi"],
    "with and without a zero width joiner inside": ["a\u200db", "ab"],
    "a digit and its superscript": ["2", "²"],
  };
  for (const [title, spellings] of Object.entries(pairs)) {
    test(title, async () => {
      const stem = newId();
      const groups = [];
      for (const spelling of spellings) {
        const group = await createGroup({ user_group_id: `${stem}${spelling}.` });
        expect(group).toMatchObject({ provided_id: `${stem}${spelling}.`, name: `${stem}${spelling}.` });
        groups.push(group);
      }
      expect(new Set(groups.map(({ token }) => token)).size).toBe(spellings.length);
    });
  }
});

test.describe("an ordinary id", () => {
  const ids = [
    "../",
    "../../etc/passwd",
    "%2e",
    "%2e%2e%2f",
    "/",
    "//",
    "?",
    "#",
    "&",
    "+",
    "=",
    "\\",
    ".",
    "..",
    ";",
    ":",
    "'; DROP TABLE user_group; --",
    '"',
    "`",
    "$1",
    "$$",
    "%",
    "_",
    "%%",
    "a%",
    "a_",
    "\\%",
    "\\u0041",
    "*",
    "null",
    "undefined",
    "0",
    "-1",
    "NaN",
    "true",
    "[]",
    "{}",
    "9223372036854775808",
    "__proto__",
    "constructor",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}",
    "#{7*7}",
    "=cmd()",
    "=1+1",
    "+1",
    "-1+1",
    "@SUM(1)",
    "user_group_id",
    "ugt_",
    "👩\u200d👩\u200d👧",
    "מזהה",
    "a\u2028b",
    "\ue000",
  ];
  for (const id of ids) {
    test(`${id}: is returned byte for byte, whichever way it is sent`, async ({ database }) => {
      const group = await createGroup({ user_group_id: id });
      expect(group).toMatchObject({ provided_id: id, name: id });
      const again = await call("GET", inQuery({ user_group_id: id }));
      expect(again.json).toMatchObject({ new_user_group: false, user_group: group });
      const posted = await call("POST", "/api/user/get-or-create", { body: { user_group_id: id } });
      expect(posted.json).toMatchObject({ new_user_group: false, user_group: group });
      const updated = await call("PUT", "/api/user", { body: { user_group_id: id, name: id } });
      expect(updated.json.user_group).toMatchObject(group);
      const rotated = await call("POST", "/api/user", { body: { current_token: group.token } });
      expect(rotated.json.user_group).toMatchObject({ team_id: group.team_id, provided_id: id, name: id });
      for (const { headers } of [again, updated])
        expect(headers).toMatchObject({
          "content-type": "application/json; charset=utf-8",
          "x-content-type-options": "nosniff",
        });
      expect(await database.query(ROWS_BESIDE, [id, group.team_id])).toEqual([{ team_id: group.team_id }]);
    });
  }

  test("that contains a wildcard finds no other group", async () => {
    const stem = newId();
    await createGroup({ user_group_id: `${stem}-x` });
    for (const wildcard of ["%", "_", ".", "*"]) {
      const body = { user_group_id: `${stem}-${wildcard}` };
      expectError(await call("PUT", "/api/user", { body }), 404, "unknown_user_group");
    }
  });
});

test("the same id in two environments is two groups with two tokens, and rotating one leaves the other", async ({
  stage,
}) => {
  const id = newId();
  const testing = await createGroup({ user_group_id: id });
  const production = await createGroup({ user_group_id: id }, { token: stage.tokens.production });
  expect(new Set([testing.team_id, production.team_id]).size).toBe(2);
  expect(new Set([testing.token, production.token]).size).toBe(2);
  await call("POST", "/api/user", { body: { current_token: testing.token } });
  const { json } = await call("GET", "/api/user", { token: stage.tokens.production, body: { user_group_id: id } });
  expect(json.user_group.token).toBe(production.token);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkValue, JsonError, parseMembers, parseValue, readStoredMembers } from "./json";
import { RawJson, writeJson } from "./raw-json";

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("reads", () => {
  test("members one level deep and keeps nested values as written", () => {
    const members = parseMembers(' { "a" : 1.10 , "b" : { "x" : [ 1E2, "a b" ] , "__proto__" : -0 } , "c" : null } ');
    expect(members).toEqual({
      a: 1.1,
      b: new RawJson('{"x":[1E2,"a b"],"__proto__":-0}', "object"),
      c: null,
    });
  });

  test("__proto__ and similar names as ordinary ones", () => {
    const members = parseMembers('{"__proto__":"a","constructor":"b","":"c"}');
    expect(Object.entries(members as object)).toEqual([
      ["__proto__", "a"],
      ["constructor", "b"],
      ["", "c"],
    ]);
    expect(Object.entries(parseMembers('{"__proto__":{"x":1}}') as object)).toEqual([
      ["__proto__", new RawJson('{"x":1}', "object")],
    ]);
  });

  test.each(["-0", "1.10", "1E2", "9007199254740991", "-9007199254740991", "1e300", "0.1", "5e-324", "100000e10"])(
    "the number %s",
    (literal) => {
      expect(parseValue(literal)).toBe(Number(literal));
    },
  );

  test.each([
    "0.10000000000000001",
    "19.989999999999998",
    "-0.29999999999999999",
    "4.9406564584124654e-324",
    "1.0E+25",
  ])("the number %s, which identifies its double in at most 17 digits, as written", (literal) => {
    expect(parseMembers(`{"p":[${literal}]}`)).toEqual({ p: new RawJson(`[${literal}]`, "array") });
  });

  test("all prices from 0.00 to 99.99, written with 1 to 17 digits as C and PHP write them", () => {
    for (let cents = 0; cents < 10_000; cents++)
      for (let digits = 1; digits <= 17; digits++) parseValue((cents / 100).toPrecision(digits));
  });

  test("32 levels, including the outermost", () => {
    expect(parseMembers(`{"a":${nested(31)}}`)).toEqual({ a: new RawJson(nested(31), "array") });
    expect(parseValue(nested(31))).toEqual(new RawJson(nested(31), "array"));
  });
});

describe("refuses", () => {
  test.each([
    ['{"a":1,"a":1}', 'duplicate member name "a", at line 1, column 8'],
    ['{"a":"1", "a" :"2"}', "duplicate member name"],
    ['{"a":"b","a":"\\""}', "duplicate member name"],
    ['{"user_group_id":1,"user_group_\\u0069d":1}', "duplicate member name"],
    ['{"p":{"x":{"a":1,"\\u0061":1}}}', "duplicate member name"],
    ["9007199254740993", "send it as a string"],
    ["9007199254740992", "send it as a string"],
    ["1e400", "send it as a string"],
    ["-1e400", "send it as a string"],
    ["1e200000", "send it as a string"],
    ["1e-400", "send it as a string"],
    // More digits after the point than PostgreSQL holds.
    ["0e-16384", "send it as a string"],
    [`1.${"0".repeat(16_384)}`, "send it as a string"],
    ["0.1234567890123456789012345678901234567890", "send it as a string"],
    ["0.10000000000000004", "send it as a string"],
    ["0.100000000000000006", "send it as a string"],
    ['"a\\u0000"', "NUL"],
    ['{"\\u0000":1}', "NUL"],
    ['"\\ud800"', "surrogate"],
    ['{"a":"\ud800"}', "surrogate"],
    ['{"a":"\0"}', "control character"],
    ['{"a":"\ufffe"}', "U+FFFE is a noncharacter, which I-JSON (RFC 7493) forbids, at line 1, column 6"],
    ['{"a":{"b":"\\ufDd0"}}', "U+FDD0 is a noncharacter"],
    ['{"\u{1ffff}":{}}', "U+1FFFF is a noncharacter"],
    ['"\\ud83f\\udffe"', "U+1FFFE is a noncharacter"],
    ['{"\\udc00":1}', "surrogate"],
    ["", "expected a value"],
    ["  ", "expected a value"],
    ["\uFEFF{}", "it begins with a byte order mark (U+FEFF): send it without, at line 1, column 1"],
    ["{} {}", "after the JSON document"],
    ["{}x", "unexpected token"],
    ['{"a":1', "not closed"],
    ["NaN", "unexpected token"],
    ["{'a':1}", "unexpected token"],
    ['{"a":1,}', "member name in double quotes"],
    ["[1,]", "expected a value"],
    ["/* a */ {}", "comments are not allowed"],
    ['"a\nb"', "string is not closed"],
    ['{\n  "a": 1\n  "b": 2\n}', "a comma is missing before this, at line 3, column 3"],
    [`{"a":${nested(32)}}`, "nesting is deeper than 32 levels"],
    [nested(100_000), "nesting is deeper than 32 levels"],
  ])("%.60s", (text, reason) => {
    expect(() => parseMembers(text)).toThrow(JsonError);
    expect(() => parseMembers(text)).toThrow(reason);
  });
});

test("all 66 noncharacters are refused, raw and escaped, and adjacent characters are accepted", () => {
  const noncharacters = [
    ...Array.from({ length: 32 }, (_, at) => 0xfdd0 + at),
    ...Array.from({ length: 17 }, (_, plane) => [plane * 0x10000 + 0xfffe, plane * 0x10000 + 0xffff]).flat(),
  ];
  expect(noncharacters).toHaveLength(66);
  const spellings = (codePoint: number) => {
    const raw = String.fromCodePoint(codePoint);
    const escaped = raw.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    return [`{"a":"${raw}"}`, `{"a":{"b":["${raw}"]}}`, `{"a":"${escaped.join("")}"}`, `{"${raw}":[]}`];
  };
  for (const text of noncharacters.flatMap(spellings)) expect(() => parseMembers(text)).toThrow("noncharacter");
  for (const text of [0xfdcf, 0xfdf0, 0xfffd, 0x10000, 0x1fffd, 0x20000, 0x10fffd].flatMap(spellings))
    parseMembers(text);
});

test("stored documents that callers may no longer send can still be read", () => {
  expect(readStoredMembers('{"a":"\ufffe","b":{"\ufdd0":1}}')).toEqual({
    a: "\ufffe",
    b: new RawJson('{"\ufdd0":1}', "object"),
  });
});

describe("collects", () => {
  test("all errors of a readable text with their places, and its value", () => {
    const { value, errors } = checkValue('{\r\n "a": 1e400, "a": "\\ud800"\n}');
    expect(value).toBeInstanceOf(RawJson);
    expect(errors.map(({ place }) => place)).toEqual([
      { offset: 9, length: 5, line: 2, column: 7 },
      { offset: 16, length: 3, line: 2, column: 14 },
      { offset: 21, length: 8, line: 2, column: 19 },
    ]);
  });

  test.each(['{"a":1,"a":2,}', `{"a":1,"a":${nested(32)}}`])(
    "errors before the first unreadable place in %.40s",
    (text) => {
      const { value, errors } = checkValue(text);
      expect(value).toBeUndefined();
      expect(errors).toHaveLength(2);
    },
  );

  test.each(["1e400", "[1,]", '"a"', '{"a":"\\u0000"}', nested(31), nested(32)])(
    "the same error as parseValue for %.40s",
    (text) => {
      const { value, errors } = checkValue(text);
      if (errors[0]) expect(() => parseValue(text)).toThrow(errors[0].message);
      else expect(parseValue(text)).toEqual(value);
    },
  );
});

describe("compared with JSON.parse", () => {
  const accepts = (read: (text: string) => unknown, text: string) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof JsonError || error instanceof SyntaxError) return false;
      throw error;
    }
  };

  test("accepts nothing that JSON.parse refuses", () => {
    const token = fc.constantFrom(..."{}[],:\"'\\u0aeE+-.1 \t\n\r\v\uFEFF/*", "true", "null", '"a"', "01", "1.", ".5");
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join("");
        return !accepts(parseValue, text) || accepts(JSON.parse, text);
      }),
      { numRuns: 20_000 },
    );
  });

  test("reads the same as JSON.parse, with any white space", () => {
    const value = fc.jsonValue({ maxDepth: 5, noUnicodeString: false });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), fc.constantFrom(0, 1, "\t"), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        fc.pre(!text.includes("\\u0000") && !/\p{Noncharacter_Code_Point}/u.test(text) && !/\d{16}/.test(text));
        expect(JSON.parse(writeJson(parseMembers(text)))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });
});

test("distinguishes duplicate names from unique ones, whatever the strings", () => {
  const string = fc.string({ unit: fc.constantFrom(...'ab":,\\{ é'), maxLength: 3 });
  fc.assert(
    fc.property(fc.array(fc.tuple(string, string), { maxLength: 4 }), (pairs) => {
      const text = `{${pairs.map((pair) => pair.map((one) => JSON.stringify(one)).join(" : ")).join(" ,")}}`;
      const isTwice = new Set(pairs.map(([name]) => name)).size < pairs.length;
      if (isTwice) expect(() => parseMembers(text)).toThrow("duplicate member name");
      else expect(Object.entries(parseMembers(text) as object)).toEqual(pairs);
    }),
    { numRuns: 2_000 },
  );
});

test("writes raw values unchanged and omits undefined members", () => {
  expect(writeJson({ a: undefined, b: new RawJson('{"x":1.10}', "object"), c: [null, "é\n"] })).toBe(
    '{"b":{"x":1.10},"c":[null,"é\\n"]}',
  );
});
